"""A caller's pool, ready to be asked."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from search.ranking.apps import Lexicon, Place
from search.ranking.candidates import Candidates, Floats, evidence_table
from search.ranking.documents import AppName, ToolDocument
from search.ranking.evidence import find
from search.ranking.explanation import explain
from search.ranking.floor import FLOOR, ROUNDING
from search.ranking.postings import ConnectorTerms, Postings
from search.ranking.profiles import PROFILES, Profile
from search.ranking.reading import Reading
from search.ranking.results import Hit, SearchResult

MAX_QUERY_LENGTH = 2000
"""Longer queries are cut: nobody names a job in more, and reading them costs."""


@dataclass(frozen=True)
class Ranked:
    """All candidates of a query, weighed but not yet cut."""

    candidates: Candidates
    score: Floats
    coverage: Floats
    named: NDArray[np.bool_]

    def order(self, chosen: NDArray[np.intp], limit: int) -> NDArray[np.intp]:
        return chosen[_top(self.score[chosen], limit)]


class PoolIndex:
    """Tools that compete with each other, and restricted ones that are only held against the same weights."""

    def __init__(self, postings: Postings, restricted: Postings, *, profile: Profile, known: Iterable[AppName]) -> None:
        self.profile = profile
        self._postings = postings
        self._restricted = restricted
        self._known = tuple(known)
        self._table = evidence_table(profile.points)

    @classmethod
    def build(
        cls,
        documents: Iterable[ToolDocument],
        *,
        profile: Profile = PROFILES["default"],
        known_labels: Iterable[str | AppName] = (),
        restricted: Iterable[ToolDocument] = (),
    ) -> "PoolIndex":
        """`known_labels`: connectors that the caller has or could connect. A bare string has no aliases."""
        return cls.assemble(
            [profile.extract(documents)],
            profile=profile,
            known_labels=known_labels,
            restricted=[profile.extract(restricted)],
        )

    @classmethod
    def assemble(
        cls,
        parts: Sequence[ConnectorTerms],
        *,
        profile: Profile = PROFILES["default"],
        known_labels: Iterable[str | AppName] = (),
        restricted: Sequence[ConnectorTerms] = (),
    ) -> "PoolIndex":
        """`build` from parts that `profile.extract` made before, one a connector: nothing is read again."""
        known = (AppName(label) if isinstance(label, str) else label for label in known_labels)
        return cls(Postings.assemble(parts), Postings.assemble(restricted), profile=profile, known=known)

    def __len__(self) -> int:
        return len(self._postings.documents)

    def search(self, query: str, limit: int = 10) -> SearchResult:
        """The tools that account for enough of the query, best first."""
        return self._search(query, limit, self._postings, self._lexicon)

    def search_restricted(self, query: str, limit: int = 10) -> SearchResult:
        """The restricted tools, held against the visible pool's weights and the same floor."""
        return self._search(query, limit, self._restricted, self._restricted_lexicon)

    def nearest_refused(self, query: str, limit: int = 3) -> tuple[Hit, ...]:
        """What came nearest and was refused. For administrators: a model is never handed a weak match."""
        reading = self._read(query, self._postings, self._lexicon)
        ranked = self._rank(reading, self._postings)
        refused = np.flatnonzero(~self._passes(ranked))
        by_coverage = refused[_top(ranked.coverage[refused], limit)]
        return tuple(self._hits(ranked, by_coverage))

    @cached_property
    def _lexicon(self) -> Lexicon:
        return Lexicon(self._postings.labels, self._known)

    @cached_property
    def _restricted_lexicon(self) -> Lexicon:
        return Lexicon((*self._postings.labels, *self._restricted.labels), self._known)

    def _search(self, query: str, limit: int, postings: Postings, lexicon: Lexicon) -> SearchResult:
        if not query.strip():
            return _browse(postings, limit)
        reading = self._read(query, postings, lexicon)
        ranked = self._rank(reading, postings)
        passing = np.flatnonzero(self._passes(ranked))
        return SearchResult(
            hits=tuple(self._hits(ranked, ranked.order(passing, limit))),
            matched=len(passing),
            unmatched_terms=self._unmatched(reading),
            named_elsewhere=_labels(reading, Place.KNOWN),
            named_products=_labels(reading, Place.PRODUCT),
            scope=reading.scope,
            cut=len(query) > MAX_QUERY_LENGTH,
        )

    def _read(self, query: str, postings: Postings, lexicon: Lexicon) -> Reading:
        return self.profile.read(query[:MAX_QUERY_LENGTH], lexicon, self._postings, postings)

    def _rank(self, reading: Reading, postings: Postings) -> Ranked:
        named = _named_tools(reading, postings)
        candidates = Candidates(
            reading,
            weights=tuple(map(self._weight, reading.terms, reading.other_verbs)),
            scope_weight=self._scope_weight(reading.scope, postings),
            found=find(postings, reading, always=named),
            postings=postings,
            table=self._table,
        )
        score = self.profile.score(candidates)
        coverage = self.profile.coverage(candidates)
        is_named = _lift(score, coverage, candidates, named)
        return Ranked(candidates, score.round(9), coverage, is_named)

    def _passes(self, ranked: Ranked) -> NDArray[np.bool_]:
        if ranked.candidates.reading.is_refused:
            return np.zeros(len(ranked.named), np.bool_)
        return ranked.coverage >= FLOOR - ROUNDING

    def _weight(self, term: str, other_verb: int) -> float:
        if other_verb:
            return self._inverse_frequency(self._postings.class_sizes[other_verb])
        return self._inverse_frequency(self._postings.frequency(term))

    def _scope_weight(self, scope: Sequence[str], postings: Postings) -> float:
        """The named app's own weight: it is held by the tools that carry its label."""
        if not scope:
            return 0.0
        seen = sum(len(self._postings.labels.get(label, ())) for label in scope)
        return self._inverse_frequency(seen or sum(len(postings.labels.get(label, ())) for label in scope))

    def _inverse_frequency(self, holders: int) -> float:
        """ln(1 + N/df). A word that nothing holds (df = ½) is rarer than one that a single tool holds.

        An empty pool weighs like a pool of one, so that restricted tools can still be told apart.
        """
        return math.log(1 + max(len(self), 1) / (holders or 0.5))

    def _unmatched(self, reading: Reading) -> tuple[str, ...]:
        pairs = zip(reading.terms, reading.spellings, strict=True)
        return tuple(spelling for term, spelling in pairs if not self._postings.frequency(term))

    def _hits(self, ranked: Ranked, places: NDArray[np.intp]) -> Iterable[Hit]:
        reading, weights = ranked.candidates.reading, ranked.candidates.weights
        for place in places:
            document = ranked.candidates.postings.documents[ranked.candidates.tools[place]]
            yield Hit(
                document,
                score=float(ranked.score[place]),
                coverage=float(ranked.coverage[place]),
                named=bool(ranked.named[place]),
                explain=partial(explain, document, reading, weights, self.profile),
            )


def _named_tools(reading: Reading, postings: Postings) -> list[int]:
    """In the query's order; of several that share a name, those of the app that the query names too."""
    tools = [tool for key in reading.names for tool in postings.keys[key]]
    inside = [tool for tool in tools if postings.documents[tool].connector_label in reading.scope]
    return inside or tools


def _lift(score: Floats, coverage: Floats, candidates: Candidates, named: Sequence[int]) -> NDArray[np.bool_]:
    """Tools that the query names by name answer all of it, and come before all others, in the query's order."""
    lifted = np.zeros(len(score), np.bool_)
    if not named:
        return lifted
    highest = float(score.max(initial=0.0))
    for place, tool in enumerate(reversed(named), start=1):
        at = int(np.searchsorted(candidates.tools, tool))
        score[at], coverage[at], lifted[at] = highest + place, 1.0, True
    return lifted


def _labels(reading: Reading, place: Place) -> tuple[str, ...]:
    return tuple(app.label for app in reading.elsewhere if app.place == place)


def _browse(postings: Postings, limit: int) -> SearchResult:
    hits = tuple(Hit(document, score=0.0, coverage=1.0) for document in postings.documents[:limit])
    return SearchResult(hits=hits, matched=len(postings.documents))


def _top(score: Floats, limit: int) -> NDArray[np.intp]:
    """The places of the best `limit` scores, best first. Equal ones keep their order: that of names."""
    if len(score) > 4 * limit > 0:
        worst = np.partition(score, -limit)[-limit]
        near = np.flatnonzero(score >= worst)
        return near[np.argsort(-score[near], kind="stable")[:limit]]
    return np.argsort(-score, kind="stable")[:limit]
