"""What a search gives back: hits, and why each is one."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from search.ranking.documents import ToolDocument

Evidence = Literal["exact", "prefix", "label", "description", "parameter", "verb"]
"""`verb`: the name holds another verb that says the same."""


@dataclass(frozen=True, slots=True)
class TermMatch:
    """What one query term did for one tool.

    `evidence` is empty for a term the tool does not hold. `covered` is the share of `weight` that counts for
    the floor, `points` what the term adds to the tool's field score before any weighting.
    """

    term: str
    weight: float
    evidence: tuple[Evidence, ...]
    points: float
    covered: float


@dataclass(frozen=True)
class Hit:
    """A tool that cleared the floor."""

    document: ToolDocument
    score: float
    coverage: float
    named: bool = False
    """The query holds the tool's exact name."""
    explain: Callable[[], tuple[TermMatch, ...]] = field(default=tuple, repr=False, compare=False)

    @cached_property
    def terms(self) -> tuple[TermMatch, ...]:
        """What each query term did, in the query's order. Worked out when first asked for."""
        return self.explain()


@dataclass(frozen=True)
class SearchResult:
    hits: tuple[Hit, ...] = ()
    matched: int = 0
    """How many tools cleared the floor, before the limit."""
    unmatched_terms: tuple[str, ...] = ()
    """The query's terms that no tool of the pool holds."""
    named_elsewhere: tuple[str, ...] = ()
    """Known labels that the query names and the pool lacks."""
    named_products: tuple[str, ...] = ()
    """Well-known products that the query names and nobody here could connect."""
    scope: tuple[str, ...] = ()
    """The pool's labels that the query names: only their tools were asked."""
    cut: bool = False
    """The query was longer than `MAX_QUERY_LENGTH` and only its beginning was read."""
