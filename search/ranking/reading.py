"""A query, read: which terms carry its mass, in which clauses, which apps and which exact names it holds."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from search.ranking.apps import App, Lexicon, Mention, Place
from search.ranking.data_words import without_data
from search.ranking.language import FUNCTION_WORDS, SENTENCE_WORDS, VERB_CLASSES
from search.ranking.literals import GAP, mask
from search.ranking.postings import Postings
from search.ranking.terms import find_words, name_key, query_terms, spellings
from search.ranking.tokens import plain_terms
from search.ranking.words import Word, read_words

type Clause = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    terms: tuple[str, ...] = ()
    """Distinct and informative, in the query's order."""
    spellings: tuple[str, ...] = ()
    """Each term as the query spells it."""
    clauses: tuple[Clause, ...] = ()
    """The terms of each clause, if the query is a list of keywords; else empty."""
    other_verbs: tuple[int, ...] = ()
    """For each term: the class of a verb that no tool of the pool holds, whose sense others may; else 0."""
    is_sentence: bool = False
    verb_class: int = 0
    """What the query asks to be done to a record: see `language.VERB_CLASSES`."""
    scope: tuple[str, ...] = ()
    """Labels of the pool that the query names."""
    elsewhere: tuple[App, ...] = ()
    """Other apps that it names."""
    names: tuple[str, ...] = ()
    """Names of tools that it holds whole, as keys, in its order."""

    is_refused: bool = False
    """It names an app, and none that is here."""


def read_plainly(query: str, lexicon: Lexicon, pool: Postings, asked: Postings) -> Reading:
    """The published rule: every distinct term counts. Apps named elsewhere are told, not acted on."""
    terms = tuple(dict.fromkeys(plain_terms(query)))
    apps = _apps(lexicon.mentions(read_words(mask(query))))
    return Reading(terms=terms, spellings=terms, other_verbs=(0,) * len(terms), elsewhere=_elsewhere(apps))


def read_closely(query: str, lexicon: Lexicon, pool: Postings, asked: Postings) -> Reading:
    """`pool` holds the words that count as known, `asked` the names that may be meant."""
    words = read_words(mask(query)) or read_words(query)
    mentions = [m for m in lexicon.mentions(words) if not _is_a_topic(m, words, pool)]
    named = exact_names(query, asked)
    others = _unmentioned(words, mentions)
    informative = _informative(others, pool) or ([] if mentions else others)
    terms = _terms(informative)
    apps = _apps(mentions)
    scope = tuple(app.label for app in apps if app.place == Place.POOL)
    elsewhere = _elsewhere(apps)
    is_sentence = any(word.folded in SENTENCE_WORDS for word in others)
    return Reading(
        terms=tuple(terms),
        spellings=tuple(terms.values()),
        clauses=() if is_sentence else _clauses(words, informative, tuple(terms)),
        other_verbs=tuple(0 if pool.frequency(term) else VERB_CLASSES.get(term, 0) for term in terms),
        is_sentence=is_sentence,
        verb_class=next((VERB_CLASSES[term] for term in terms if term in VERB_CLASSES), 0),
        scope=scope,
        elsewhere=elsewhere,
        is_refused=bool(elsewhere) and not scope and not _named_by_tools_alone(query, named, lexicon),
        names=tuple(named),
    )


def _apps(mentions: Iterable[Mention]) -> tuple[App, ...]:
    return tuple(dict.fromkeys(app for mention in mentions for app in mention.apps))


def _elsewhere(apps: Iterable[App]) -> tuple[App, ...]:
    return tuple(app for app in apps if app.place != Place.POOL)


def _terms(words: Iterable[Word]) -> dict[str, str]:
    """Each distinct term and its first spelling."""
    terms: dict[str, str] = {}
    for word in words:
        for term, spelling in query_terms(word.text):
            terms.setdefault(term, spelling)
    return terms


def _is_a_topic(mention: Mention, words: Sequence[Word], pool: Postings) -> bool:
    """A product nobody could connect here, but that stands in tools' names, is what those tools are about."""
    if mention.apps[0].place != Place.PRODUCT:
        return False
    run = words[mention.start : mention.end]
    return all(pool.is_in_a_name(term) for word in run for term, _ in query_terms(word.text))


def _unmentioned(words: Sequence[Word], mentions: Sequence[Mention]) -> list[Word]:
    taken = {i for mention in mentions for i in range(mention.start, mention.end)}
    return [word for i, word in enumerate(words) if i not in taken]


def _informative(words: Sequence[Word], pool: Postings) -> list[Word]:
    meaningful = [word for word in words if word.folded not in FUNCTION_WORDS]
    return without_data(meaningful, words, pool) or meaningful


def _clauses(words: Sequence[Word], informative: Sequence[Word], terms: Sequence[str]) -> tuple[Clause, ...]:
    """Keywords are parted by punctuation and by "or"."""
    if not words or (words[0].clause == words[-1].clause and all(word.folded != "or" for word in words)):
        return ()
    numbers = {term: number for number, term in enumerate(terms)}
    counted = set(map(id, informative))
    clauses: dict[tuple[int, int], dict[int, None]] = {}
    ors = 0
    for word in words:
        ors += word.folded == "or"
        if id(word) in counted:
            clause = clauses.setdefault((word.clause, ors), {})
            clause.update((numbers[term], None) for term, _ in query_terms(word.text))
    return tuple(map(tuple, clauses.values())) if len(clauses) > 1 else ()


_CHUNK = re.compile(r"[^\W_]\w*(?:[./:-]+\w+)*")


def exact_names(query: str, asked: Postings) -> dict[str, str]:
    """The tools whose whole name the query is or holds: their keys, and how the query writes them.

    One plain word in a sentence is not a name.
    """
    found: dict[str, str] = {}
    for place, chunk in enumerate([query, *_CHUNK.findall(query)]):
        if place and chunk.isalpha() and chunk[1:].islower():
            continue
        spelled = [s for word in find_words(chunk) for s in spellings(word)]
        if (len(spelled) > 1 or place == 0) and (key := name_key(spelled)) in asked.keys:
            found.setdefault(key, chunk)
    return found


def _named_by_tools_alone(query: str, names: Mapping[str, str], lexicon: Lexicon) -> bool:
    """Whether an app stands in the query only as a part of tool names that are here."""
    for written in names.values():
        query = query.replace(written, GAP)
    return bool(names) and not lexicon.mentions(read_words(mask(query)))
