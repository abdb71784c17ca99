"""The rules a pool can be ranked by."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from search.ranking.documents import ToolDocument
from search.ranking.evidence import (
    EXACT,
    FLAGS,
    IN_DESCRIPTION,
    IN_LABEL,
    IN_PARAMETER,
    OTHER_FIELDS,
    PREFIX,
    Points,
)
from search.ranking.postings import ConnectorTerms, field_terms
from search.ranking.tokens import plain_terms

FLOOR = 0.5
"""The share of the query's mass that a tool must account for."""

DESCRIPTION_STOP_WORDS = frozenset({"set", "connection", "frozen", "more"})
"""They stand in every merged or frozen tool's description, put there by us."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    name: str
    analyze: Callable[[str], list[str]]
    points: Points
    prefix_coverage: float
    """How much of a term's weight a prefix alone accounts for."""

    description_stop_words: frozenset[str] = DESCRIPTION_STOP_WORDS

    @property
    def reads_parameters(self) -> bool:
        return self.points.parameter > 0

    @property
    def fields(self) -> int:
        """The flags that earn points."""
        return EXACT | PREFIX | IN_LABEL | IN_DESCRIPTION | (IN_PARAMETER if self.reads_parameters else 0)

    def extract(self, documents: Iterable[ToolDocument]) -> ConnectorTerms:
        """What the tools of one connector hold. The costly step of building a pool; keep the answer."""
        return ConnectorTerms.extract(documents, self.analyze, parameters=self.reads_parameters)

    def fields_of(self, document: ToolDocument) -> tuple[frozenset[str], ...]:
        held = field_terms(document, self.analyze, parameters=self.reads_parameters)
        return tuple(map(frozenset, held))

    def point_table(self) -> NDArray[np.float64]:
        """What a term adds to a tool's score, by the flags of where it was found."""
        return np.array([self.points.of(flags) for flags in range(FLAGS)])

    def coverage_table(self) -> NDArray[np.float64]:
        """Which share of its weight a term accounts for, by the same flags."""
        return np.array([self._coverage(flags) for flags in range(FLAGS)])

    def _coverage(self, flags: int) -> float:
        if flags & (EXACT | OTHER_FIELDS):
            return 1.0
        return self.prefix_coverage if flags & PREFIX else 0.0


PUBLISHED = Profile(
    name="published",
    analyze=plain_terms,
    points=Points(exact=5, prefix=3, label=2, description=1, parameter=0),
    prefix_coverage=0.6,
)
PROFILES = {"published": PUBLISHED, "default": PUBLISHED}
