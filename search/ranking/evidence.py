"""Where in a tool a query term was found: one set of flags for each term and tool."""

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from search.ranking.postings import DESCRIPTION, LABEL, NAME, PARAMETER, Ints, Postings
from search.ranking.results import Evidence

EXACT, PREFIX, IN_LABEL, IN_DESCRIPTION, IN_PARAMETER = 1, 2, 4, 8, 16
OTHER_FIELDS = IN_LABEL | IN_DESCRIPTION | IN_PARAMETER
FLAGS = 32
FIELD_FLAGS = ((NAME, EXACT), (LABEL, IN_LABEL), (DESCRIPTION, IN_DESCRIPTION), (PARAMETER, IN_PARAMETER))
NAMES: tuple[tuple[int, Evidence], ...] = (
    (EXACT, "exact"),
    (PREFIX, "prefix"),
    (IN_LABEL, "label"),
    (IN_DESCRIPTION, "description"),
    (IN_PARAMETER, "parameter"),
)

SHORTEST_PREFIX = 3
"""Shorter ones match by accident: "me" opens member, "in" opens invoice."""


@dataclass(frozen=True, slots=True)
class Points:
    """What a term is worth where it is found; a prefix counts only where the name lacks the term itself."""

    exact: float
    prefix: float
    label: float
    description: float
    parameter: float

    def of(self, flags: int) -> float:
        name = self.exact if flags & EXACT else self.prefix if flags & PREFIX else 0.0
        return (
            name
            + (self.label if flags & IN_LABEL else 0.0)
            + (self.description if flags & IN_DESCRIPTION else 0.0)
            + (self.parameter if flags & IN_PARAMETER else 0.0)
        )


@dataclass(frozen=True, slots=True)
class Found:
    """The tools that hold at least one term, and the flags of each term in each of them."""

    tools: Ints
    flags: NDArray[np.uint8]
    """One row a term, one column a tool."""


def find(
    postings: Postings, terms: tuple[str, ...], *, fields: int, unscored_in_description: frozenset[str]
) -> Found:
    """`fields` is the union of the flags that the profile gives any points for."""
    size = len(postings.documents)
    touched = np.zeros(size, np.bool_)
    flags = np.zeros((len(terms), size), np.uint8)
    for row, term in zip(flags, terms, strict=True):
        for tools in _name_prefixes(postings, term):
            row[tools] = PREFIX
            touched[tools] = True
        number = postings.numbers.get(term)
        if number is None:
            continue
        for field, flag in FIELD_FLAGS:
            if not fields & flag or (field == DESCRIPTION and term in unscored_in_description):
                continue
            tools = postings.holders(field, number)
            row[tools] |= flag
            touched[tools] = True
    tools = np.flatnonzero(touched).astype(np.int32)
    return Found(tools, flags[:, tools])


def _name_prefixes(postings: Postings, term: str) -> list[Ints]:
    """Tools whose name holds a longer term that begins with this one, or a shorter one that begins it.

    Terms are numbered in codepoint order, so those that begin alike are neighbours, and so are their tools.
    """
    if len(term) < SHORTEST_PREFIX:
        return []
    first = bisect_left(postings.terms, term)
    last = bisect_left(postings.terms, term + "\U0010ffff", lo=first)
    names = postings.fields[NAME]
    found = [names.tools[names.starts[first] : names.starts[last]]]
    for length in range(SHORTEST_PREFIX, len(term)):
        number = postings.numbers.get(term[:length])
        if number is not None:
            found.append(postings.holders(NAME, number))
    return found


def find_in(
    held: tuple[frozenset[str], ...], term: str, *, fields: int, unscored_in_description: frozenset[str]
) -> int:
    """The flags of one term for one tool, read from the tool's own fields: what `find` must agree with."""
    flags = 0
    for field, flag in FIELD_FLAGS:
        if (
            fields & flag
            and term in held[field]
            and not (field == DESCRIPTION and term in unscored_in_description)
        ):
            flags |= flag
    if term not in held[NAME] and any(_opens(term, other) for other in held[NAME]):
        flags |= PREFIX
    return flags


def _opens(one: str, other: str) -> bool:
    return min(len(one), len(other)) >= SHORTEST_PREFIX and (one.startswith(other) or other.startswith(one))
