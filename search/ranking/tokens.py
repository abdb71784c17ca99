"""Text into terms: Unicode normalisation, word boundaries, camelCase."""

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise

_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")
_WORD = re.compile(r"[^\W_]+")


def words(text: str) -> list[str]:
    """Runs of letters and digits after NFKC, in their original case."""
    if text.isascii():
        return _ASCII_WORD.findall(text)
    return _WORD.findall(unicodedata.normalize("NFKC", text))


def camel_parts(word: str) -> list[str]:
    """`getHTTPServers` → `get`, `HTTP`, `Servers`. An acronym keeps its plural: `userIDs` → `user`, `IDs`."""
    if word.islower() or word.isupper():
        return [word]
    cuts = [0, *(i for i in range(1, len(word)) if _starts_a_part(word, i)), len(word)]
    return [word[a:b] for a, b in pairwise(cuts)]


def _starts_a_part(word: str, i: int) -> bool:
    if not word[i].isupper():
        return False
    before, after = word[i - 1], word[i + 1 : i + 2]
    if before.isupper() or before.isdigit():
        return after.islower() and not _is_plural_ending(word, i + 1)
    return True


def _is_plural_ending(word: str, i: int) -> bool:
    return word[i] == "s" and not word[i + 1 : i + 2].islower()


def fold(word: str) -> str:
    """Case-folded. Folding may undo the normal form, hence the second NFKC."""
    if word.isascii():
        return word.lower()
    return unicodedata.normalize("NFKC", word.casefold())


def plain_terms(text: str) -> list[str]:
    """The published rule: split on everything that is not a letter or digit and at camelCase boundaries."""
    return [term for word in words(text) for term in _word_terms(word)]


@lru_cache(maxsize=1 << 16)
def _word_terms(word: str) -> tuple[str, ...]:
    return tuple(fold(part) for part in camel_parts(word))
