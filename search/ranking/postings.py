"""Posting lists: which tool holds which term, in which field, as compact arrays.

A connector's tools are read once (`ConnectorTerms.extract`, worth caching by catalog version); a pool is put
together from such parts (`Postings.assemble`) without reading a word of them again.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from search.ranking.documents import ToolDocument

type Ints = NDArray[np.int32]
type Tools = NDArray[np.intp]
"""Numbers of tools, in the width that numpy indexes with: a narrower one is converted at every use."""

type Bytes = NDArray[np.uint8]

EXACT, PREFIX, IN_LABEL, IN_DESCRIPTION, IN_PARAMETER, SPELLED, OTHER_VERB = 1, 2, 4, 8, 16, 32, 64
"""Where a tool holds a term: flags, so that a posting says it in one byte."""

DESCRIPTION_STOP_WORDS = frozenset({"set", "connection", "frozen", "more"})
"""They stand in every merged or frozen tool's description, and `connection` among its parameters, put there by us:
held, but no evidence."""


class ToolTerms(NamedTuple):
    """What one tool holds, field by field. A field that the profile does not read is empty."""

    name: frozenset[str]
    label: frozenset[str]
    description: frozenset[str]
    parameters: frozenset[str] = frozenset()
    spelling: frozenset[str] = frozenset()
    """The name's terms as they are spelled, plurals unfolded."""

    def flags(self) -> dict[str, int]:
        """Each term the tool holds, and where."""
        flags = dict.fromkeys((self.description | self.parameters) & DESCRIPTION_STOP_WORDS, 0)
        for terms, flag in (
            (self.name, EXACT),
            (self.label, IN_LABEL),
            (self.description - DESCRIPTION_STOP_WORDS, IN_DESCRIPTION),
            (self.parameters - DESCRIPTION_STOP_WORDS, IN_PARAMETER),
        ):
            for term in terms:
                flags[term] = flags.get(term, 0) | flag
        return flags


class NameTraits(NamedTuple):
    """What a profile wants to know of a name beyond its terms."""

    length: int
    """Distinct terms, without those of the connector's label."""
    verb_class: int
    """What the tool does to a record: see `language.VERB_CLASSES`; 0 if the name does not say."""
    key: str
    """The whole name, spelled in one way, whatever separates its words."""


type Analyzer = Callable[[ToolDocument], tuple[ToolTerms, NameTraits]]


class Grouped(NamedTuple):
    """Postings by term: the tools of term `i` are `tools[starts[i]:starts[i + 1]]`, and so are their flags."""

    starts: Ints
    tools: Tools
    flags: Bytes

    def of(self, number: int) -> Tools:
        return self.tools[self.bounds(number, number + 1)]

    def bounds(self, first: int, last: int) -> slice:
        """Where the postings of the terms from `first` to `last` (exclusive) stand.

        Read through the buffer: an element of an array costs several times an int.
        """
        starts = self.starts.data
        return slice(starts[first], starts[last])


@dataclass(frozen=True, slots=True)
class ConnectorTerms:
    """What the tools of one connector hold. Tools stand in name order, terms in codepoint order."""

    documents: tuple[ToolDocument, ...]
    traits: tuple[NameTraits, ...]
    terms: tuple[str, ...]
    held: Grouped
    names: Grouped
    spellings: Grouped

    @classmethod
    def extract(cls, documents: Iterable[ToolDocument], analyze: Analyzer) -> "ConnectorTerms":
        ordered = tuple(sorted(documents, key=name_order))
        analyzed = [analyze(document) for document in ordered]
        held = [terms.flags() for terms, _ in analyzed]
        spelled = [dict.fromkeys(terms.spelling, SPELLED) for terms, _ in analyzed]
        terms = tuple(sorted(set(chain.from_iterable((*held, *spelled)))))
        numbers = {term: number for number, term in enumerate(terms)}
        return cls(
            documents=ordered,
            traits=tuple(traits for _, traits in analyzed),
            terms=terms,
            held=_group(held, numbers),
            names=_group([dict.fromkeys(terms.name, EXACT) for terms, _ in analyzed], numbers),
            spellings=_group(spelled, numbers),
        )


def name_order(document: ToolDocument) -> tuple[str, str, str]:
    """Codepoint order of names, on every machine; the label and the text settle equal names."""
    return document.name, document.connector_label, document.description


def _group(held: Sequence[Mapping[str, int]], numbers: Mapping[str, int]) -> Grouped:
    size = sum(map(len, held))
    terms = np.fromiter((numbers[term] for terms in held for term in terms), np.int32, size)
    flags = np.fromiter(chain.from_iterable(terms.values() for terms in held), np.uint8, size)
    tools = np.repeat(np.arange(len(held), dtype=np.intp), [len(terms) for terms in held])
    order = np.lexsort((tools, terms))
    starts = np.zeros(len(numbers) + 1, np.int32)
    np.cumsum(np.bincount(terms, minlength=len(numbers)), out=starts[1:])
    return Grouped(starts, tools[order], flags[order])


@dataclass(frozen=True, slots=True)
class Postings:
    """The same for a whole pool. A tool's number is its place in name order, so numbers settle ties."""

    documents: tuple[ToolDocument, ...]
    terms: list[str]
    numbers: dict[str, int]
    held: Grouped
    names: Grouped
    spellings: Grouped
    name_lengths: Ints
    verb_classes: Ints
    class_sizes: Counter[int]
    """How many tools do what each verb class says."""
    labels: dict[str, Tools]
    """The tools of each connector label."""
    keys: dict[str, list[int]]
    """The tools of each name, by `NameTraits.key`."""

    @classmethod
    def assemble(cls, parts: Sequence[ConnectorTerms]) -> "Postings":
        terms = sorted(set().union(*(part.terms for part in parts)))
        numbers = {term: number for number, term in enumerate(terms)}
        places = [_numbered(part.terms, numbers) for part in parts]
        order, ranks = _in_name_order(parts)
        traits = _picked([trait for part in parts for trait in part.traits], order)
        documents = _picked([document for part in parts for document in part.documents], order)
        return cls(
            documents=tuple(documents),
            terms=terms,
            numbers=numbers,
            held=_merge([part.held for part in parts], places, ranks, len(terms)),
            names=_merge([part.names for part in parts], places, ranks, len(terms)),
            spellings=_merge([part.spellings for part in parts], places, ranks, len(terms)),
            name_lengths=np.array([trait.length for trait in traits], np.int32),
            verb_classes=np.array([trait.verb_class for trait in traits], np.int32),
            class_sizes=Counter(trait.verb_class for trait in traits),
            labels={k: np.array(v, np.intp) for k, v in _by(d.connector_label for d in documents).items()},
            keys=_by(trait.key for trait in traits),
        )

    def frequency(self, term: str) -> int:
        """How many tools hold a term, in any field."""
        number = self.numbers.get(term)
        if number is None:
            return 0
        bounds = self.held.bounds(number, number + 1)
        return int(bounds.stop - bounds.start)

    def is_in_a_name(self, term: str) -> bool:
        """Whether any tool's name holds a term."""
        number = self.numbers.get(term)
        return number is not None and len(self.names.of(number)) > 0


def _numbered(terms: Sequence[str], numbers: dict[str, int]) -> Ints:
    return np.fromiter(map(numbers.__getitem__, terms), np.int32, len(terms))


def _picked[T](values: Sequence[T], order: Iterable[int]) -> list[T]:
    return [values[i] for i in order]


def _by(values: Iterable[str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for number, value in enumerate(values):
        found.setdefault(value, []).append(number)
    return found


def _in_name_order(parts: Sequence[ConnectorTerms]) -> tuple[list[int], list[Tools]]:
    """The order of all tools by name, and for each part the places its tools took."""
    keys = [name_order(document) for part in parts for document in part.documents]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    rank = np.empty(len(order), np.intp)
    rank[np.array(order, dtype=np.intp)] = np.arange(len(order))
    bounds = np.cumsum([len(part.documents) for part in parts])[:-1]
    return order, np.split(rank, bounds) if parts else []


def _merge(parts: list[Grouped], places: list[Ints], ranks: list[Tools], size: int) -> Grouped:
    """Concatenate the parts' posting lists term by term, in one pass over the postings."""
    counts = [np.diff(part.starts) for part in parts]
    starts = np.zeros(size + 1, np.int32)
    for place, count in zip(places, counts, strict=True):
        starts[place + 1] += count
    np.cumsum(starts, out=starts)
    tools, flags, filled = np.empty(starts[-1], np.intp), np.empty(starts[-1], np.uint8), starts[:-1].copy()
    for part, place, count, rank in zip(parts, places, counts, ranks, strict=True):
        offsets = filled[place] - part.starts[:-1]
        target = np.arange(len(part.tools), dtype=np.int32) + np.repeat(offsets, count)
        tools[target], flags[target] = rank[part.tools], part.flags
        filled[place] += count
    return Grouped(starts, tools, flags)
