"""Posting lists: which tool holds which term, in which field, as compact arrays.

A connector's tools are read once (`ConnectorTerms.extract`, worth caching by catalog version); a pool is put
together from such parts (`Postings.assemble`) without reading a word of them again.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from search.ranking.documents import ToolDocument

type Ints = NDArray[np.int32]
type Analyzer = Callable[[str], list[str]]

NAME, LABEL, DESCRIPTION, PARAMETER = range(4)
FIELDS = 4


@dataclass(frozen=True, slots=True)
class Grouped:
    """One field's postings: the tools of term `i` are `tools[starts[i]:starts[i + 1]]`."""

    starts: Ints
    tools: Ints


@dataclass(frozen=True, slots=True)
class ConnectorTerms:
    """What the tools of one connector hold. Tools stand in name order, terms in codepoint order."""

    documents: tuple[ToolDocument, ...]
    terms: tuple[str, ...]
    fields: tuple[Grouped, ...]
    frequencies: Ints
    """Tools that hold the term in any field."""
    name_lengths: Ints
    """Distinct terms in each tool's name."""

    @classmethod
    def extract(
        cls, documents: Iterable[ToolDocument], analyze: Analyzer, *, parameters: bool
    ) -> "ConnectorTerms":
        ordered = tuple(sorted(documents, key=name_order))
        held = [field_terms(document, analyze, parameters=parameters) for document in ordered]
        terms = tuple(sorted(set().union(*chain.from_iterable(held)) if held else ()))
        numbers = {term: number for number, term in enumerate(terms)}
        anywhere = [set().union(*fields) for fields in held]
        return cls(
            documents=ordered,
            terms=terms,
            fields=tuple(_group([fields[f] for fields in held], numbers) for f in range(FIELDS)),
            frequencies=np.diff(_group(anywhere, numbers).starts),
            name_lengths=np.array([len(fields[NAME]) for fields in held], dtype=np.int32),
        )


def name_order(document: ToolDocument) -> tuple[str, str, str]:
    """Codepoint order of names, on every machine; the label and the text settle equal names."""
    return document.name, document.connector_label, document.description


def field_terms(document: ToolDocument, analyze: Analyzer, *, parameters: bool) -> tuple[set[str], ...]:
    """What one tool holds, field by field."""
    return (
        set(analyze(document.name)),
        set(analyze(document.connector_label)),
        set(analyze(document.description)),
        set(chain.from_iterable(map(analyze, document.parameters))) if parameters else set(),
    )


def _group(held: Sequence[set[str]], numbers: dict[str, int]) -> Grouped:
    size = sum(map(len, held))
    terms = np.fromiter((numbers[term] for terms in held for term in terms), np.int32, size)
    tools = np.repeat(np.arange(len(held), dtype=np.int32), [len(terms) for terms in held])
    order = np.lexsort((tools, terms))
    starts = np.zeros(len(numbers) + 1, np.int32)
    np.cumsum(np.bincount(terms, minlength=len(numbers)), out=starts[1:])
    return Grouped(starts, tools[order])


@dataclass(frozen=True, slots=True)
class Postings:
    """The same for a whole pool. A tool's number is its place in name order, so numbers settle ties."""

    documents: tuple[ToolDocument, ...]
    terms: list[str]
    numbers: dict[str, int]
    fields: tuple[Grouped, ...]
    frequencies: Ints
    name_lengths: Ints

    @classmethod
    def assemble(cls, parts: Sequence[ConnectorTerms]) -> "Postings":
        terms = sorted(set().union(*(part.terms for part in parts)))
        numbers = {term: number for number, term in enumerate(terms)}
        places = [
            np.fromiter(map(numbers.__getitem__, part.terms), np.int32, len(part.terms)) for part in parts
        ]
        documents, ranks = _in_name_order(parts)
        frequencies = np.zeros(len(terms), np.int32)
        lengths = np.zeros(len(documents), np.int32)
        for part, place, rank in zip(parts, places, ranks, strict=True):
            frequencies[place] += part.frequencies
            lengths[rank] = part.name_lengths
        fields = tuple(
            _merge([part.fields[f] for part in parts], places, ranks, len(terms)) for f in range(FIELDS)
        )
        return cls(documents, terms, numbers, fields, frequencies, lengths)

    def holders(self, field: int, number: int) -> Ints:
        """The tools that hold a term in one field."""
        grouped = self.fields[field]
        return grouped.tools[grouped.starts[number] : grouped.starts[number + 1]]


def _in_name_order(parts: Sequence[ConnectorTerms]) -> tuple[tuple[ToolDocument, ...], list[Ints]]:
    """All documents by name, and for each part the places its documents took."""
    everything = [document for part in parts for document in part.documents]
    order = sorted(range(len(everything)), key=[name_order(d) for d in everything].__getitem__)
    rank = np.empty(len(order), np.int32)
    rank[np.array(order, dtype=np.int64)] = np.arange(len(order), dtype=np.int32)
    bounds = np.cumsum([len(part.documents) for part in parts])[:-1]
    return tuple(everything[i] for i in order), np.split(rank, bounds) if parts else []


def _merge(parts: list[Grouped], places: list[Ints], ranks: list[Ints], size: int) -> Grouped:
    """Concatenate the parts' posting lists term by term, in one pass over the postings."""
    counts = [np.diff(part.starts) for part in parts]
    starts = np.zeros(size + 1, np.int32)
    for place, count in zip(places, counts, strict=True):
        starts[place + 1] += count
    np.cumsum(starts, out=starts)
    tools, filled = np.empty(starts[-1], np.int32), starts[:-1].copy()
    for part, place, count, rank in zip(parts, places, counts, ranks, strict=True):
        offsets = filled[place] - part.starts[:-1]
        target = np.arange(len(part.tools), dtype=np.int32) + np.repeat(offsets, count)
        tools[target] = rank[part.tools]
        filled[place] += count
    return Grouped(starts, tools)
