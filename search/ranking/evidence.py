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
    OTHER_VERB,
    PREFIX,
    SPELLED,
    Bytes,
    NameTraits,
    Postings,
    Tools,
    ToolTerms,
)
from search.ranking.reading import Reading

HELD = EXACT | IN_LABEL | IN_DESCRIPTION | IN_PARAMETER | OTHER_VERB
FLAGS = 128

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

    tools: Tools
    flags: Bytes
    """One row a term, one column a tool."""


def find(postings: Postings, reading: Reading, always: Sequence[int] = ()) -> Found:
    """The tools that hold a term. With a scope, only those of its labels, and all of them if no term is left.

    `always` adds tools whatever they hold. Reads the posting lists of the terms; of what grows with the pool it
    touches a byte a tool and term.
    """
    flags = np.zeros((len(reading.terms), len(postings.documents)), np.uint8)
    for row, term, spelling in zip(flags, reading.terms, reading.spellings, strict=True):
        for tools in _name_prefixes(postings, term):
            row[tools] = PREFIX
        _add_holders(postings, term, spelling, row)
    touched = np.bitwise_or.reduce(flags, axis=0) != 0
    if reading.scope:
        inside = _of_labels(postings, reading.scope)
        touched = touched & inside if reading.terms else inside
    if always:
        touched[list(always)] = True
    tools = np.flatnonzero(touched)
    found = Found(tools, np.take(flags, tools, axis=1))
    _add_other_verbs(postings, reading, found)
    return found


def _add_other_verbs(postings: Postings, reading: Reading, found: Found) -> None:
    for row, verb_class in zip(found.flags, reading.other_verbs, strict=True):
        if verb_class:
            row[postings.verb_classes[found.tools] == verb_class] |= OTHER_VERB


def _of_labels(postings: Postings, labels: Iterable[str]) -> NDArray[np.bool_]:
    inside = np.zeros(len(postings.documents), np.bool_)
    for label in labels:
        inside[postings.labels.get(label, [])] = True
    return inside


def _add_holders(postings: Postings, term: str, spelling: str, row: Bytes) -> None:
    number = postings.numbers.get(term)
    if number is None:
        return
    bounds = postings.held.bounds(number, number + 1)
    row[postings.held.tools[bounds]] |= postings.held.flags[bounds]
    spelled = number if spelling == term else postings.numbers.get(spelling)
    if spelled is not None:
        row[postings.spellings.of(spelled)] |= SPELLED


def _name_prefixes(postings: Postings, term: str) -> list[Tools]:
    """Tools whose name holds a longer term that begins with this one, or a shorter one that begins it.

    Terms are numbered in codepoint order, so those that begin alike are neighbours, and so are their tools.
    """
    if len(term) < SHORTEST_PREFIX:
        return []
    first = bisect_left(postings.terms, term)
    last = bisect_left(postings.terms, term + "\U0010ffff", lo=first)
    names = postings.names
    found = [names.tools[names.bounds(first, last)]] if first < last else []
    for length in range(SHORTEST_PREFIX, len(term)):
        number = postings.numbers.get(term[:length])
        if number is not None:
            found.append(names.of(number))
    return found


def find_in(held: ToolTerms, traits: NameTraits, term: str, spelling: str, other_verb: int) -> int:
    """The flags of one term in one tool, read from the tool itself: what `find` must agree with."""
    flags = held.flags().get(term, 0)
    if any(_opens(term, other) for other in held.name):
        flags |= PREFIX
    if spelling in held.spelling and flags & EXACT:
        flags |= SPELLED
    return flags | (OTHER_VERB if other_verb and other_verb == traits.verb_class else 0)


def _opens(one: str, other: str) -> bool:
    return min(len(one), len(other)) >= SHORTEST_PREFIX and (one.startswith(other) or other.startswith(one))
