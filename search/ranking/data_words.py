"""Words of a query that say which data is meant, not which tool: numbers and dates in words, proper names."""

from collections.abc import Iterable, Sequence

from search.ranking.language import TIME_WORDS
from search.ranking.postings import Postings
from search.ranking.terms import query_terms
from search.ranking.words import Word


def without_data(meaningful: Sequence[Word], words: Sequence[Word], pool: Postings) -> list[Word]:
    """What a tool of the pool holds is never data."""
    proper = set(map(id, _proper_names(words)))
    return [word for word in meaningful if not (_looks_like_data(word, proper) and not _is_held(word, pool))]


def _looks_like_data(word: Word, proper: Iterable[int]) -> bool:
    return (len(word.folded) == 1 and word.text.isascii()) or word.folded in TIME_WORDS or id(word) in proper


def _is_held(word: Word, pool: Postings) -> bool:
    return any(pool.frequency(term) for term, _ in query_terms(word.text))


def _proper_names(words: Sequence[Word]) -> list[Word]:
    """Two or more capitalised words in a row, not at the start, in a text that is mostly lower case.

    One such word alone may as well be an app that nobody here has heard of: it stays in the mass.
    """
    capitalised = sum(word.capitalised for word in words)
    if capitalised < 2 or 2 * sum(word.text[:1].islower() for word in words) < len(words):
        return []
    found: list[Word] = []
    run: list[Word] = []
    for word in words[1:]:
        if not (word.capitalised and word.identifier < 0 and (not run or run[-1].clause == word.clause)):
            found += run if len(run) > 1 else []
            run = []
        if word.capitalised and word.identifier < 0:
            run.append(word)
    return found + (run if len(run) > 1 else [])
