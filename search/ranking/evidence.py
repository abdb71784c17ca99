"""Where in a tool a query term was found: one set of flags for each term and tool."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from search.ranking.postings import (
    EXACT,
    IN_DESCRIPTION,
    IN_LABEL,
    IN_PARAMETER,
    PREFIX,
    SPELLED,
    Bytes,
    Ints,
    Postings,
    ToolTerms,
)

HELD = EXACT | IN_LABEL | IN_DESCRIPTION | IN_PARAMETER
FLAGS = 64

SHORTEST_PREFIX = 3
"""Shorter ones match by accident: "me" opens member, "in" opens invoice."""


@dataclass(frozen=True, slots=True)
class Points:
    """What a term is worth where it is found; a prefix counts only where the name lacks the term itself."""

    exact: float
    inflected: float
    """The name holds the term in another number: `issues` for issue."""
    prefix: float
    label: float
    description: float
    parameter: float

    def of(self, flags: int) -> float:
        return (
            self._of_name(flags)
            + (self.label if flags & IN_LABEL else 0.0)
            + (self.description if flags & IN_DESCRIPTION else 0.0)
            + (self.parameter if flags & IN_PARAMETER else 0.0)
        )

    def _of_name(self, flags: int) -> float:
        if flags & EXACT:
            return self.exact if flags & SPELLED else self.inflected
        return self.prefix if flags & PREFIX else 0.0


@dataclass(frozen=True, slots=True)
class Found:
    """The tools that hold at least one term, and the flags of each term in each of them."""

    tools: Ints
    flags: Bytes
    """One row a term, one column a tool."""


def find(
    postings: Postings,
    terms: Sequence[str],
    spellings: Sequence[str],
    *,
    scope: Sequence[str] = (),
    always: Sequence[int] = (),
) -> Found:
    """The tools that hold a term. With a scope, only those of its labels, and all of them if no term is left.

    `always` adds tools whatever they hold. Reads the posting lists of the terms; of what grows with the pool it
    touches a bit a tool.
    """
    size = len(postings.documents)
    touched = np.zeros(size, np.bool_)
    flags = np.zeros((len(terms), size), np.uint8)
    for row, term, spelling in zip(flags, terms, spellings, strict=True):
        for tools in _name_prefixes(postings, term):
            row[tools] = PREFIX
            touched[tools] = True
        _add_holders(postings, term, spelling, row, touched)
    if scope:
        inside = _of_labels(postings, scope)
        touched = touched & inside if terms else inside
    touched[list(always)] = True
    tools = np.flatnonzero(touched).astype(np.int32)
    return Found(tools, flags[:, tools])


def _of_labels(postings: Postings, labels: Iterable[str]) -> NDArray[np.bool_]:
    inside = np.zeros(len(postings.documents), np.bool_)
    for label in labels:
        inside[postings.labels.get(label, [])] = True
    return inside


def _add_holders(postings: Postings, term: str, spelling: str, row: Bytes, touched: NDArray[np.bool_]) -> None:
    number = postings.numbers.get(term)
    if number is None:
        return
    held = postings.held
    tools = held.of(number)
    row[tools] |= held.flags[held.starts[number] : held.starts[number + 1]]
    touched[tools] = True
    spelled = number if spelling == term else postings.numbers.get(spelling)
    if spelled is not None:
        row[postings.spellings.of(spelled)] |= SPELLED


def _name_prefixes(postings: Postings, term: str) -> list[Ints]:
    """Tools whose name holds a longer term that begins with this one, or a shorter one that begins it.

    Terms are numbered in codepoint order, so those that begin alike are neighbours, and so are their tools.
    """
    if len(term) < SHORTEST_PREFIX:
        return []
    first = bisect_left(postings.terms, term)
    last = bisect_left(postings.terms, term + "\U0010ffff", lo=first)
    names = postings.names
    found = [names.tools[names.starts[first] : names.starts[last]]]
    for length in range(SHORTEST_PREFIX, len(term)):
        number = postings.numbers.get(term[:length])
        if number is not None:
            found.append(names.of(number))
    return found


def find_in(held: ToolTerms, term: str, spelling: str) -> int:
    """The flags of one term in one tool, read from the tool itself: what `find` must agree with."""
    flags = held.flags().get(term, 0)
    if any(_opens(term, other) for other in held.name):
        flags |= PREFIX
    return flags | (SPELLED if spelling in held.spelling and flags & EXACT else 0)


def _opens(one: str, other: str) -> bool:
    return min(len(one), len(other)) >= SHORTEST_PREFIX and (one.startswith(other) or other.startswith(one))
