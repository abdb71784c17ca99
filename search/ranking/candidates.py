"""The tools that hold anything of a query, and what they hold of it, weighed."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from search.ranking.evidence import FLAGS, Found, Points
from search.ranking.postings import EXACT, IN_DESCRIPTION, IN_LABEL, IN_PARAMETER, OTHER_VERB, Postings, Tools
from search.ranking.reading import Clause, Reading

type Floats = NDArray[np.float64]

STRONG, WEAK = EXACT | IN_LABEL | OTHER_VERB, IN_DESCRIPTION | IN_PARAMETER


class Evidence(NamedTuple):
    """What each candidate holds of some terms. All but `mass` have an entry a tool."""

    points: Floats
    """Points of the terms, each times its weight."""
    strong: Floats
    """Weight of the terms that stand in the tool's name or label."""
    weak: Floats
    """Weight of those that stand only in its description or parameters."""
    mass: float
    """Weight of all the terms asked for."""


@dataclass(frozen=True)
class Candidates:
    reading: Reading
    weights: tuple[float, ...]
    """Of each term: its inverse document frequency in the visible pool."""
    scope_weight: float
    """Of the app named, which every candidate then answers; 0 if none is."""
    found: Found
    postings: Postings
    table: Floats
    """Points, strong and weak, for each combination of flags: `evidence_table` of the profile's points."""

    @property
    def tools(self) -> Tools:
        return self.found.tools

    @cached_property
    def whole(self) -> Evidence:
        return self._evidence(range(len(self.weights)))

    @cached_property
    def of_clauses(self) -> tuple[Evidence, ...]:
        return tuple(map(self._evidence, self.reading.clauses))

    def _evidence(self, terms: Clause | range) -> Evidence:
        """Added up term by term, never as a matrix product: sums then come out the same on every machine, and
        equal for tools that hold the same, so that ties stay ties."""
        total = np.zeros((len(self.tools), 3))
        for term in terms:
            total += (self.table * self.weights[term]).take(self.found.flags[term], axis=0)
        return Evidence(total[:, 0], total[:, 1], total[:, 2], self._mass(terms))

    def _mass(self, terms: Iterable[int]) -> float:
        return sum(self.weights[term] for term in terms)


def evidence_table(points: Points) -> Floats:
    """Points, strong and weak, for each combination of flags."""
    rows = [(points.of(f), bool(f & STRONG), bool(f & WEAK and not f & STRONG)) for f in range(FLAGS)]
    return np.array(rows, dtype=np.float64)
