"""Terms of the default profile: brands kept whole, accents and plurals folded, scripts without spaces in pairs."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import pairwise

from search.ranking.language import singular
from search.ranking.products import camel_brands
from search.ranking.tokens import camel_parts, fold

_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")
_ACCENTS = re.compile("[\u0300-\u036f]")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
"""Thai, Lao, Burmese, Khmer, Kana and Han."""


LONGEST_BRAND = 4
"""Parts of a camelCase brand: GoToMeeting has three."""


def document_terms(text: str) -> list[str]:
    """What a tool's text is found by."""
    return [term for word in find_words(text) for term in word_terms(word)]


@lru_cache(maxsize=1 << 16)
def query_terms(word: str) -> tuple[tuple[str, str], ...]:
    """The terms that one word of a query asks for, each with its spelling."""
    return tuple((singular(spelling), spelling) for spelling in query_spellings(word))


def query_spellings(word: str) -> tuple[str, ...]:
    """What one word of a query asks for. An unspaced run asks for its pairs, not for each character."""
    terms = spellings(word)
    if word.isascii() or not _UNSPACED.search(word):
        return terms
    return tuple(term for term in terms if len(term) > 1) or terms


def find_words(text: str) -> list[str]:
    """Words in their original case: runs of letters, digits and their marks; each symbol is a word alone."""
    if text.isascii():
        return _ASCII_WORD.findall(text)
    return _word_pattern().findall(without_accents(text))


def without_accents(text: str) -> str:
    """`café` is found by `cafe`. Only the combining accents of Latin, Greek and Cyrillic go."""
    if text.isascii():
        return text
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFKC", bare)


@lru_cache(maxsize=1 << 16)
def word_terms(word: str) -> tuple[str, ...]:
    return tuple(map(singular, spellings(word)))


@lru_cache(maxsize=1 << 16)
def spellings(word: str) -> tuple[str, ...]:
    """The terms of a word before plurals are folded."""
    return tuple(term for part in brand_parts(word) for term in _part_terms(fold(part)))


def brand_parts(word: str) -> list[str]:
    """`camel_parts`, but a brand stays whole: `getGitHubToken` → `get`, `GitHub`, `Token`."""
    parts = camel_parts(word)
    place = 0
    while place < len(parts) - 1:
        for end in range(min(len(parts), place + LONGEST_BRAND), place + 1, -1):
            joined = "".join(parts[place:end])
            if fold(joined) in camel_brands():
                parts[place:end] = [joined]
                break
        place += 1
    return parts


def _part_terms(part: str) -> list[str]:
    """Chinese, Japanese, Thai and their like have no spaces: every character and every pair is a term."""
    if part.isascii():
        return [part]
    terms, rest = [], 0
    for run in _UNSPACED.finditer(part):
        terms += [part[rest : run.start()], *run.group(), *map("".join, pairwise(run.group()))]
        rest = run.end()
    return [term for term in (*terms, part[rest:]) if term]


@cache
def _word_pattern() -> re.Pattern[str]:
    marks = "".join(chr(c) for c in range(0x0300, 0x3100) if unicodedata.category(chr(c))[0] == "M")
    symbols = "\u2190-\u2bff\U0001f000-\U0001faff"
    return re.compile(rf"[^\W_](?:[^\W_]|[{marks}])*|[{symbols}]")


def name_key(spelled: Iterable[str]) -> str:
    """One key for a name however its words are joined: `createPage`, `create_page`, `create page`."""
    return "_".join(spelled)
