"""Compare rules that decide whether a query gets an answer at all: an absolute score, a share of the query's mass,
the floor of the default profile, cosine of embeddings. On short and long queries, small and large pools.

    python benchmarks/floors.py tools.jsonl queries.jsonl [--embeddings embeddings.npz] [--apps 1,5,20]

No rule here recognises apps or products by name: what is compared is the rule alone. A query with a right tool is
*empty* if it gets none at all; a query with none (its app is not connected, or it is about something else) is *false*
if it gets any. A query is short up to four informative terms. Reads the benchmark's JSONL: tools with key, pool, app,
label, name, description, parameters; queries with query, gold, app, pool, kind.
"""

import argparse
import json
import pathlib
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from search.ranking import PROFILES, ConnectorTerms, PoolIndex, Profile, ToolDocument
from search.ranking.apps import Lexicon, Mention
from search.ranking.postings import Postings
from search.ranking.reading import Reading, read_closely
from search.ranking.words import Word

type Row = dict[str, Any]
type Floats = NDArray[np.float64]

SHORT = 4
SEED = 11
BIG_APP = 9


class NoNames(Lexicon):
    """Knows no app and no product."""

    def __init__(self) -> None: ...

    def mentions(self, words: Sequence[Word]) -> list[Mention]:
        return []


def _read_without_names(query: str, _: Lexicon, pool: Postings, asked: Postings) -> Reading:
    return read_closely(query, NoNames(), pool, asked)


PUBLISHED = PROFILES["published"]
DEFAULT = replace(PROFILES["default"], read=_read_without_names)


@dataclass(frozen=True)
class Asked:
    """One query in one pool: the best that each kind of evidence says of any tool."""

    answerable: bool
    short: bool
    published_score: float
    published_share: float
    default_share: float
    cosine: float


RULES: dict[str, tuple[Callable[[Asked], float], tuple[float, ...]]] = {
    "score at least": (lambda asked: asked.published_score, (5, 8, 10, 12, 15, 20, 30)),
    "share of the mass": (lambda asked: asked.published_share, (0.3, 0.4, 0.5, 0.6, 0.7)),
    "default profile": (lambda asked: asked.default_share, (0.4, 0.5, 0.6, 0.7)),
    "cosine": (lambda asked: asked.cosine, (0.3, 0.4, 0.5, 0.6, 0.7)),
}


def rows(path: pathlib.Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def workspaces(by_app: dict[str, list[int]], size: int) -> Iterator[tuple[str, list[str], list[str]]]:
    """For each app: it and `size - 1` others, and `size` others without it."""
    big = [app for app in sorted(by_app) if len(by_app[app]) >= BIG_APP]
    for app in sorted(by_app):
        others = [other for other in big if other != app]
        random.Random(f"{SEED}-{size}-{app}").shuffle(others)
        yield app, [app, *others[: size - 1]], others[:size]


def best(index: PoolIndex, query: str) -> tuple[float, float, int]:
    """The highest score, the highest coverage and how many terms were asked."""
    reading = index._read(query, index._postings, index._lexicon)
    ranked = index._rank(reading, index._postings)
    return float(ranked.score.max(initial=0)), float(ranked.coverage.max(initial=0)), len(reading.terms)


class Pools:
    """Indexes by profile and apps, assembled once."""

    def __init__(self, tools: Sequence[Row], by_app: dict[str, list[int]]) -> None:
        self.by_app = by_app
        self.documents = [
            ToolDocument(t["key"], t["name"], t["description"], t["label"], tuple(t["parameters"])) for t in tools
        ]
        self.parts: dict[tuple[str, str], ConnectorTerms] = {}
        self.built: dict[tuple[str, tuple[str, ...]], PoolIndex] = {}

    def index(self, profile: Profile, apps: Sequence[str]) -> PoolIndex:
        key = (profile.name, tuple(apps))
        if key not in self.built:
            parts = [self._part(profile, app) for app in apps]
            self.built[key] = PoolIndex.assemble(parts, profile=profile)
        return self.built[key]

    def _part(self, profile: Profile, app: str) -> ConnectorTerms:
        key = (profile.name, app)
        if key not in self.parts:
            self.parts[key] = profile.extract(self.documents[i] for i in self.by_app[app])
        return self.parts[key]


def ask_all(tools: list[Row], queries: list[Row], size: int, vectors: dict[str, Floats] | None) -> list[Asked]:
    by_app: dict[str, list[int]] = defaultdict(list)
    for number, tool in enumerate(tools):
        by_app[tool["app"]].append(number)
    pools, asked = Pools(tools, by_app), []
    holding = {app: (having, lacking) for app, having, lacking in workspaces(by_app, size)}
    some = sorted(holding)

    def ask(row: Row, apps: list[str], answerable: bool) -> None:
        score, share, _ = best(pools.index(PUBLISHED, apps), row["query"])
        _, default, terms = best(pools.index(DEFAULT, apps), row["query"])
        cosine = _cosine(vectors, row, [tools[i] for app in apps for i in by_app[app]])
        asked.append(Asked(answerable, terms <= SHORT, score, share, default, cosine))

    for row in queries:
        if row["kind"] == "offtopic":
            ask(row, holding[some[len(row["query"]) % len(some)]][0], answerable=False)
        elif row["app"] in holding:
            ask(row, holding[row["app"]][0], answerable=True)
            if row["kind"] == "named":
                ask(row, holding[row["app"]][1], answerable=False)
    return asked


def _cosine(vectors: dict[str, Floats] | None, row: Row, tools: Sequence[Row]) -> float:
    if vectors is None:
        return 0.0
    return float((vectors["tools"][[tool["number"] for tool in tools]] @ vectors["queries"][row["number"]]).max())


def report(asked: Sequence[Asked], apps: int) -> None:
    for rule, (measure, cuts) in RULES.items():
        if rule == "cosine" and not any(one.cosine for one in asked):
            continue
        for cut in cuts:
            cells = []
            for short in (True, False):
                mine = [one for one in asked if one.short == short]
                empty = [measure(one) < cut - 1e-9 for one in mine if one.answerable]
                false = [measure(one) >= cut - 1e-9 for one in mine if not one.answerable]
                cells.append(f"{np.mean(empty):.2f} / {np.mean(false):.2f}")
            print(f"| {apps} | {rule} | {cut} | {cells[0]} | {cells[1]} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", type=pathlib.Path)
    parser.add_argument("queries", type=pathlib.Path)
    parser.add_argument("--embeddings", type=pathlib.Path)
    parser.add_argument("--apps", default="1,5,20")
    args = parser.parse_args()
    tools = [row | {"number": number} for number, row in enumerate(rows(args.tools))]
    queries = [row | {"number": number} for number, row in enumerate(rows(args.queries))]
    vectors = None
    if args.embeddings:
        vectors = {kind: found.astype(np.float64) for kind, found in np.load(args.embeddings).items()}
    print("| apps | rule | at least | short: empty / false | long: empty / false |\n|---|---|---|---|---|")
    for size in map(int, args.apps.split(",")):
        asked = []
        for pool in sorted({row["pool"] for row in queries}):
            mine = [row for row in tools if row["pool"] == pool]
            asked += ask_all(mine, [row for row in queries if row["pool"] == pool], size, vectors)
        report(asked, size)


if __name__ == "__main__":
    main()
