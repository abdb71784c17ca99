"""A query as words that know where they stand: in which identifier, in which clause."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from search.ranking.terms import brand_parts, find_words
from search.ranking.tokens import fold

_CHUNK = re.compile(r"\n|\S+")
_ENDS_CLAUSE = re.compile(r"[,.;:!?+|)\]}>…、。，；：！？]$")  # noqa: RUF001 - CJK punctuation
_OPENS_CLAUSE = re.compile(r"[+|(\[{<&/-]")


class Word(NamedTuple):
    text: str
    folded: str
    clause: int
    """Number of the run between punctuation marks and literals that it stands in."""
    identifier: int
    """Place in its identifier (`box_list_files`, `createPage`), counted from 0; -1 outside of one."""

    @property
    def capitalised(self) -> bool:
        return self.text[:1].isupper()


def read_words(text: str) -> list[Word]:
    """The words of a query from which the literals were cut."""
    words: list[Word] = []
    clause = 0
    for chunk in _CHUNK.findall(text):
        found, identifier, opens, ends = _read_chunk(chunk)
        clause += opens
        words += [Word(word, folded, clause, place if identifier else -1) for place, (word, folded) in enumerate(found)]
        clause += ends
    return words


@lru_cache(maxsize=1 << 14)
def _read_chunk(chunk: str) -> tuple[tuple[tuple[str, str], ...], bool, bool, bool]:
    found = tuple((word, fold(word)) for word in find_words(chunk))
    opens = chunk == "\n" or bool(_OPENS_CLAUSE.match(chunk))
    identifier = _is_identifier(chunk, (word for word, _ in found))
    return found, identifier, opens, bool(_ENDS_CLAUSE.search(chunk))


def _is_identifier(chunk: str, words: Iterable[str]) -> bool:
    """Written as programs write names: joined by `_`, `::` or several hyphens, or in camelCase."""
    bare = chunk.strip("_-.,;:!?()[]{}'\"`")
    joined = "_" in bare or "::" in bare or bare.count("-") > 1
    return joined or any(len(brand_parts(word)) > 1 for word in words)
