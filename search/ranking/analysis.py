"""A tool's text, read for a profile."""

from itertools import chain

from search.ranking.documents import ToolDocument
from search.ranking.language import VERB_CLASSES, singular
from search.ranking.postings import NameTraits, ToolTerms
from search.ranking.terms import document_terms, find_words, name_key, spellings
from search.ranking.tokens import plain_terms


def read_plainly(document: ToolDocument) -> tuple[ToolTerms, NameTraits]:
    """The published rule reads three fields and asks nothing else of a name."""
    terms = ToolTerms(
        frozenset(plain_terms(document.name)),
        frozenset(plain_terms(document.connector_label)),
        frozenset(plain_terms(document.description)),
    )
    return terms, NameTraits(0, 0, "")


def read_closely(document: ToolDocument) -> tuple[ToolTerms, NameTraits]:
    spelled = [term for word in find_words(document.name) for term in spellings(word)]
    name = [singular(term) for term in spelled]
    label = frozenset(document_terms(document.connector_label))
    own = [term for term in name if term not in label] or name
    terms = ToolTerms(
        frozenset(name),
        label,
        frozenset(document_terms(document.description)),
        frozenset(chain.from_iterable(map(document_terms, document.parameters))),
        frozenset(spelled),
    )
    return terms, NameTraits(
        length=len(set(own)),
        verb_class=next((VERB_CLASSES[term] for term in own if term in VERB_CLASSES), 0),
        key=name_key(spelled),
    )
