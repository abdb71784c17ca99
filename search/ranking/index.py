"""A caller's pool, ready to be asked."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from search.ranking.documents import AppName, ToolDocument
from search.ranking.evidence import NAMES, Found, find, find_in
from search.ranking.postings import ConnectorTerms, Postings
from search.ranking.profiles import FLOOR, PROFILES, Profile
from search.ranking.results import Hit, SearchResult, TermMatch

MAX_QUERY_LENGTH = 2000
"""Longer queries are cut: nobody names a job in more, and reading them costs."""


class PoolIndex:
    """Tools that compete with each other, and restricted ones that are only held against the same weights."""

    def __init__(self, postings: Postings, restricted: Postings, *, profile: Profile) -> None:
        self.profile = profile
        self._postings = postings
        self._restricted = restricted
        self._points = profile.point_table()
        self._coverage = profile.coverage_table()

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
        return cls(Postings.assemble(parts), Postings.assemble(restricted), profile=profile)

    def __len__(self) -> int:
        return len(self._postings.documents)

    def search(self, query: str, limit: int = 10) -> SearchResult:
        """The tools that account for enough of the query, best first."""
        return self._search(query, limit, self._postings)

    def search_restricted(self, query: str, limit: int = 10) -> SearchResult:
        """The restricted tools, held against the visible pool's weights and the same floor."""
        return self._search(query, limit, self._restricted)

    def _search(self, query: str, limit: int, postings: Postings) -> SearchResult:
        cut = len(query) > MAX_QUERY_LENGTH
        query = query[:MAX_QUERY_LENGTH]
        if not query.strip():
            return self._browse(postings, limit)
        terms = tuple(dict.fromkeys(self.profile.analyze(query)))
        weights = [self._weight(term) for term in terms]
        unmatched = tuple(term for term in terms if term not in self._postings.numbers)
        found = find(
            postings,
            terms,
            fields=self.profile.fields,
            unscored_in_description=self.profile.description_stop_words,
        )
        score, coverage = self._score(found), self._cover(found, weights)
        passing = np.flatnonzero(coverage >= FLOOR - 1e-9)
        best = passing[_top(score[passing], limit)]
        hits = tuple(
            self._hit(postings.documents[found.tools[i]], float(score[i]), float(coverage[i]), terms, weights)
            for i in best
        )
        return SearchResult(hits=hits, matched=len(passing), unmatched_terms=unmatched, cut=cut)

    def _browse(self, postings: Postings, limit: int) -> SearchResult:
        hits = tuple(Hit(document, score=0.0, coverage=1.0) for document in postings.documents[:limit])
        return SearchResult(hits=hits, matched=len(postings.documents))

    def _weight(self, term: str) -> float:
        """ln(1 + N/df). A word that nothing holds (df = ½) is rarer than one that a single tool holds."""
        number = self._postings.numbers.get(term)
        frequency = 0.5 if number is None else float(self._postings.frequencies[number])
        return math.log(1 + len(self) / frequency)

    def _score(self, found: Found) -> NDArray[np.float64]:
        score = np.zeros(len(found.tools))
        for flags in found.flags:
            score += self._points[flags]
        return score

    def _cover(self, found: Found, weights: Sequence[float]) -> NDArray[np.float64]:
        covered = np.zeros(len(found.tools))
        for flags, weight in zip(found.flags, weights, strict=True):
            covered += (self._coverage * weight)[flags]
        return covered / (sum(weights) or 1.0)

    def _hit(
        self,
        document: ToolDocument,
        score: float,
        coverage: float,
        terms: Sequence[str],
        weights: Sequence[float],
    ) -> Hit:
        def explain() -> tuple[TermMatch, ...]:
            held = self.profile.fields_of(document)
            return tuple(
                self._term_match(term, weight, held) for term, weight in zip(terms, weights, strict=True)
            )

        return Hit(document, score, coverage, explain=explain)

    def _term_match(self, term: str, weight: float, held: tuple[frozenset[str], ...]) -> TermMatch:
        flags = find_in(
            held,
            term,
            fields=self.profile.fields,
            unscored_in_description=self.profile.description_stop_words,
        )
        return TermMatch(
            term=term,
            weight=weight,
            evidence=tuple(name for flag, name in NAMES if flags & flag),
            points=float(self._points[flags]),
            covered=float(self._coverage[flags]),
        )


def _top(score: NDArray[np.float64], limit: int) -> NDArray[np.intp]:
    """The places of the best `limit` scores, best first. Equal ones keep their order: that of names."""
    if len(score) > 4 * limit > 0:
        worst = np.partition(score, -limit)[-limit]
        near = np.flatnonzero(score >= worst)
        return near[np.argsort(-score[near], kind="stable")[:limit]]
    return np.argsort(-score, kind="stable")[:limit]
