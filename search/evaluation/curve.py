"""Recall against false answers, for every cut-off at once.

A ranker is asked without its floor. What a cut-off would make of the answer is then known for all cut-offs: a right
tool stands among the first five exactly while it clears the cut itself and fewer than five of the tools ranked
before it do, which is an interval.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from search.evaluation.dataset import Kind, LabelledQuery, LabelledTool
from search.evaluation.rankers import Ranked, RankerFactory
from search.evaluation.scoring import SEED, Gateway, gateways

AMONG = 5
EVERYTHING = 1_000_000
QUANTILES = 20
ROUNDING = 1e-9
"""A coverage of one half may be summed to a hair less."""

OFFTOPIC = "off-topic queries"
NOT_CONNECTED = "its own queries where their app is not connected, nor known"


@dataclass(frozen=True, slots=True)
class Point:
    """Answers weaker than `cut` are refused."""

    cut: float
    r5: float
    empty: float
    false: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    ranker: str
    set: str
    apps: int
    unanswerable: str
    """Which queries `false` is measured on."""
    points: tuple[Point, ...]


@dataclass(slots=True)
class _Asked:
    """One set's answers. The strength of an empty answer is below every cut-off."""

    right: list[list[tuple[float, float]]] = field(default_factory=list)
    strongest: list[float] = field(default_factory=list)
    wrong: list[float] = field(default_factory=list)
    offtopic: list[float] = field(default_factory=list)

    def point(self, cut: float, wrong: Sequence[float]) -> Point:
        least = cut - ROUNDING
        return Point(
            cut=cut,
            r5=fmean(any(low < least <= high for low, high in spans) for spans in self.right),
            empty=fmean(strength < least for strength in self.strongest),
            false=fmean(strength >= least for strength in wrong),
        )


def sweep(
    factory: RankerFactory,
    tools: Sequence[LabelledTool],
    queries: Sequence[LabelledQuery],
    size: int,
    *,
    seed: int = SEED,
    advance: Callable[[], object] = lambda: None,
) -> list[Curve]:
    """One curve a set that has answerable queries, by name; none if there are no unanswerable ones to set against.

    A set of which most queries name their app is held against those same queries where that app is neither
    connected nor known; another one against the off-topic queries of the whole run.
    """
    open_factory = factory.without_floor()
    if open_factory is None:
        return []
    asked: dict[str, _Asked] = defaultdict(_Asked)
    for query, gateway in gateways(open_factory, tools, queries, size, seed):
        _ask(gateway, query, asked[query.set])
        advance()
    offtopic = [strength for one in asked.values() for strength in one.offtopic]
    curves = (_curve(factory, name, size, one, offtopic) for name, one in sorted(asked.items()) if one.right)
    return [curve for curve in curves if curve is not None]


def measured_on_itself(named: int, answerable: int) -> bool:
    """Whether enough of a set's queries name their app."""
    return 2 * named >= answerable > 0


def _ask(gateway: Gateway, query: LabelledQuery, asked: _Asked) -> None:
    workspaces = gateway.workspaces
    if query.kind == Kind.OFFTOPIC:
        ranker = gateway.ranker(workspaces.for_offtopic(query.query))
        asked.offtopic.append(_strongest(ranker.search(query.query, EVERYTHING)))
        return
    if query.kind == Kind.UNLABELLED:
        return
    found = gateway.ranker(workspaces.holding[query.app]).search(query.query, EVERYTHING)
    asked.right.append(right_spans(found, query.gold))
    asked.strongest.append(_strongest(found))
    if query.kind == Kind.NAMED:
        ranker = gateway.ranker(workspaces.lacking[query.app], unlisted=True)
        asked.wrong.append(_strongest(ranker.search(query.query, EVERYTHING)))


def right_spans(found: Sequence[Ranked], gold: frozenset[str]) -> list[tuple[float, float]]:
    """For each right tool the cut-offs, above the first and up to the second, that leave it among the first five."""
    spans = []
    for place, (key, strength) in enumerate(found):
        if key in gold:
            before = sorted((hit.strength for hit in found[:place]), reverse=True)
            low = before[AMONG - 1] if len(before) >= AMONG else float("-inf")
            spans.append((low, strength))
    return spans


def _strongest(found: Sequence[Ranked]) -> float:
    return max((hit.strength for hit in found), default=float("-inf"))


def _curve(factory: RankerFactory, name: str, size: int, asked: _Asked, offtopic: Sequence[float]) -> Curve | None:
    on_itself = measured_on_itself(len(asked.wrong), len(asked.right))
    wrong = asked.wrong if on_itself else offtopic
    if not wrong:
        return None
    cuts = factory.cuts or _quantiles([*asked.strongest, *wrong])
    return Curve(
        ranker=factory.name,
        set=name,
        apps=size,
        unanswerable=NOT_CONNECTED if on_itself else OFFTOPIC,
        points=tuple(asked.point(cut, wrong) for cut in cuts),
    )


def _quantiles(strengths: Sequence[float]) -> list[float]:
    """Cut-offs that refuse a twentieth more of all answers each, the first of them nothing."""
    given = sorted(strength for strength in strengths if strength > float("-inf"))
    places = [step * (len(given) - 1) // QUANTILES for step in range(QUANTILES + 1)] if given else []
    return [0.0, *dict.fromkeys(given[place] for place in places)]
