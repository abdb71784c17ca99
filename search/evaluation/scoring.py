"""Recall, empty answers and false answers of one ranker, set by set.

- **R@1, R@5**: the share of queries that find a right tool first, or among the first five. Empty is a miss.
- **empty**: the share that get nothing although their app is connected. An unlabelled query, whose app nobody knows,
  counts here alone.
- **false**: of the queries that name an app, the share that get something where that app is not connected; of the
  off-topic ones, the share that get something at all.
- **alone**: *false* again, for a gateway that has never heard of any app but the connected ones.
"""

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from search.evaluation.dataset import Kind, LabelledQuery, LabelledTool
from search.evaluation.rankers import Ranked, Ranker, RankerFactory
from search.evaluation.workspaces import Workspaces, connectors_of, draw, labels_of

SEED = 11
RESULTS = 10
WARM_UP = "warm up"
"""Asked before anything is timed: some of an index is only built for the first query."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """Shares from 0 to 1; None where the set has no query of that kind."""

    ranker: str
    set: str
    apps: int
    n: int
    r1: float | None
    r5: float | None
    empty: float | None
    false: float | None
    alone: float | None
    p50_ms: float


class Gateway:
    """One ranker over all workspaces of a size; each workspace's index is built when it is first asked."""

    def __init__(self, factory: RankerFactory, workspaces: Workspaces) -> None:
        self.workspaces = workspaces
        self._factory = factory
        self._built: dict[tuple[tuple[str, ...], bool], Ranker] = {}

    def ranker(self, apps: tuple[str, ...], *, unlisted: bool = False) -> Ranker:
        """`unlisted`: the gateway has heard of no app but these."""
        unlisted = unlisted and self._factory.knows_labels
        if (apps, unlisted) not in self._built:
            connectors = [self.workspaces.connectors[app] for app in apps]
            labels = labels_of(connectors) if unlisted else self.workspaces.labels
            ranker = self._built[apps, unlisted] = self._factory.build(connectors, labels)
            ranker.search(WARM_UP, 1)
        return self._built[apps, unlisted]


@dataclass(slots=True)
class _Tally:
    n: int = 0
    first: int = 0
    among_five: int = 0
    empty: int = 0
    offtopic: int = 0
    unlabelled: int = 0
    answered: int = 0
    named: int = 0
    false: int = 0
    alone: int = 0
    seconds: list[float] = field(default_factory=list)

    def ask(self, ranker: Ranker, query: str) -> list[Ranked]:
        start = time.perf_counter()
        found = ranker.search(query, RESULTS)
        self.seconds.append(time.perf_counter() - start)
        return found

    def measures(self, ranker: str, name: str, apps: int) -> Measures:
        answerable = self.n - self.offtopic
        return Measures(
            ranker=ranker,
            set=name,
            apps=apps,
            n=self.n,
            r1=_share(self.first, answerable - self.unlabelled),
            r5=_share(self.among_five, answerable - self.unlabelled),
            empty=_share(self.empty, answerable),
            false=_share(self.false + self.answered, self.named + self.offtopic),
            alone=_share(self.alone, self.named),
            p50_ms=1000 * statistics.median(self.seconds),
        )


def evaluate(
    factory: RankerFactory,
    tools: Sequence[LabelledTool],
    queries: Sequence[LabelledQuery],
    size: int,
    *,
    seed: int = SEED,
    advance: Callable[[], object] = lambda: None,
) -> list[Measures]:
    """One row a set, by name, for workspaces of `size` apps. Calls `advance` after each query."""
    tallies: dict[str, _Tally] = {}
    for query, gateway in gateways(factory, tools, queries, size, seed):
        _ask(gateway, query, tallies.setdefault(query.set, _Tally()))
        advance()
    return [tally.measures(factory.name, name, size) for name, tally in sorted(tallies.items())]


def gateways(
    factory: RankerFactory,
    tools: Sequence[LabelledTool],
    queries: Sequence[LabelledQuery],
    size: int,
    seed: int,
) -> Iterator[tuple[LabelledQuery, Gateway]]:
    """Each query with the gateway that its pool is asked through; one pool's indexes are held at a time."""
    for pool in sorted({query.pool for query in queries}):
        connectors = connectors_of(tool for tool in tools if tool.pool == pool)
        gateway = Gateway(factory, draw(connectors, size, seed))
        yield from ((query, gateway) for query in queries if query.pool == pool)


def _ask(gateway: Gateway, query: LabelledQuery, tally: _Tally) -> None:
    tally.n += 1
    if query.kind == Kind.OFFTOPIC:
        tally.offtopic += 1
        ranker = gateway.ranker(gateway.workspaces.for_offtopic(query.query))
        tally.answered += bool(tally.ask(ranker, query.query))
        return
    if query.kind == Kind.UNLABELLED:
        tally.unlabelled += 1
        ranker = gateway.ranker(gateway.workspaces.for_offtopic(query.query))
        tally.empty += not tally.ask(ranker, query.query)
        return
    found = [hit.key for hit in tally.ask(gateway.ranker(gateway.workspaces.holding[query.app]), query.query)]
    tally.first += not query.gold.isdisjoint(found[:1])
    tally.among_five += not query.gold.isdisjoint(found[:5])
    tally.empty += not found
    if query.kind == Kind.NAMED:
        _ask_without_its_app(gateway, query, tally)


def _ask_without_its_app(gateway: Gateway, query: LabelledQuery, tally: _Tally) -> None:
    apps = gateway.workspaces.lacking[query.app]
    tally.named += 1
    tally.false += bool(tally.ask(gateway.ranker(apps), query.query))
    tally.alone += bool(tally.ask(gateway.ranker(apps, unlisted=True), query.query))


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
