"""One ranker over one pool, measured in this process. Memory is only right in a fresh one: see `apart`."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from search.benchmarking.memory import resident_megabytes
from search.benchmarking.pools import documents_of, invented_pool, repeated_pool
from search.benchmarking.questions import STYLES, questions
from search.benchmarking.timing import Latency, seconds_of, time_each, timed
from search.evaluation.dataset import load_tools
from search.evaluation.peers import peer
from search.evaluation.rankers import ProfileFactory, Ranker, RankerFactory
from search.evaluation.workspaces import Connector, labels_of
from search.ranking import PROFILES, ToolDocument

RESULTS = 10
ASSEMBLIES = 5
WARM_UP = 20
ROUNDS = 3
"""Each query is asked so many times and its fastest answer counts: the rest is what other processes took."""
BUDGET = 12.0
"""Seconds for the queries of one style."""
FIRST_QUERY = "create an invoice"
ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    ranker: str
    """The name of a profile, or of a peer."""
    is_peer: bool
    size: int
    queries: int
    """Of each style."""
    tools: str = ""
    """A file of real tools; invented ones without it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """Memory is what each step added; None where a ranker has no such step."""

    ranker: str
    tools: int
    build_s: float
    """From documents to an index."""
    assemble_ms: float | None
    """From connectors that were read before to an index."""
    first_query_ms: float
    """On a fresh index: what was left to be built is built now."""
    documents_mb: float
    connectors_mb: float | None
    index_mb: float
    latency: dict[str, Latency]
    """By style of query, and `all` of them."""


def measure(job: Job) -> Measurement:
    """Raises EvaluationError: the file is not one of tools, or the peer is not installed."""
    factory = _factory(job)
    empty = resident_megabytes()
    connectors = _pool(job)
    documents = documents_of(connectors)
    with_documents = resident_megabytes()
    reading = seconds_of(lambda: factory.read(connectors))
    with_connectors = resident_megabytes()
    labels = labels_of(connectors)
    build = partial(factory.build, connectors, labels)
    assembling, ranker = timed(build)
    first_query = seconds_of(lambda: ranker.search(FIRST_QUERY, RESULTS))
    with_index = resident_megabytes()
    latency = _latency(ranker, documents, job.queries)
    return Measurement(
        ranker=job.ranker,
        tools=len(documents),
        build_s=reading + assembling,
        assemble_ms=None if job.is_peer else _assembling_ms(build, assembling),
        first_query_ms=1000 * first_query,
        documents_mb=with_documents - empty,
        connectors_mb=None if job.is_peer else with_connectors - with_documents,
        index_mb=with_index - with_connectors,
        latency=latency,
    )


def _pool(job: Job) -> list[Connector]:
    return repeated_pool(load_tools(Path(job.tools)), job.size) if job.tools else invented_pool(job.size)


def _factory(job: Job) -> RankerFactory:
    return peer(job.ranker) if job.is_peer else ProfileFactory(job.ranker, PROFILES[job.ranker])


def _assembling_ms(build: Callable[[], object], first: float) -> float:
    return 1000 * statistics.median([first, *(seconds_of(build) for _ in range(ASSEMBLIES - 1))])


def _latency(ranker: Ranker, documents: Sequence[ToolDocument], number: int) -> dict[str, Latency]:
    seconds = {style: _seconds(ranker, questions(documents, style, number + WARM_UP)) for style in STYLES}
    everything = [second for times in seconds.values() for second in times]
    return {style: Latency.of(times) for style, times in {**seconds, ALL: everything}.items()}


def _seconds(ranker: Ranker, queries: Sequence[str]) -> list[float]:
    """The fastest of some rounds for each query but the first few, which are asked to warm up."""

    def search(query: str) -> object:
        return ranker.search(query, RESULTS)

    time_each(search, queries[:WARM_UP], budget=BUDGET / ROUNDS)
    rounds = [time_each(search, queries[WARM_UP:], budget=BUDGET / ROUNDS) for _ in range(ROUNDS)]
    return [min(times) for times in zip(*rounds, strict=False)]
