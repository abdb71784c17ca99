"""Queries in the three styles that cost differently, made of the pool's own tools and the same on every run."""

import random
from collections.abc import Sequence

from search.ranking import ToolDocument
from search.ranking.tokens import plain_terms

STYLES = ("short", "guessed_name", "sentence")


def questions(documents: Sequence[ToolDocument], style: str, number: int) -> list[str]:
    """`number` queries, each for a tool drawn at random.

    *short* is two or three words of its name; *guessed_name* its name as a model might make it up, with one word
    left out and another put in; *sentence* a polite request of some twenty words that names the product.
    """
    source = random.Random(f"{style}-{len(documents)}")
    drawn = (documents[int(source.random() * len(documents))] for _ in range(number))
    make = {"short": _short, "guessed_name": _guessed_name, "sentence": _sentence}[style]
    return [make(source, document) for document in drawn]


def _short(source: random.Random, document: ToolDocument) -> str:
    return " ".join(_own_terms(document)[: 2 + int(source.random() * 2)])


def _guessed_name(source: random.Random, document: ToolDocument) -> str:
    terms = _own_terms(document)
    if len(terms) > 2:
        terms.pop(1 + int(source.random() * (len(terms) - 1)))
    return "_".join([*plain_terms(document.connector_label), *terms, "details"])


def _sentence(source: random.Random, document: ToolDocument) -> str:
    about = " ".join(document.description.split()[:10]).rstrip(".")
    what = " ".join(_own_terms(document))
    when = ("today", "before Friday", "for the whole team")[int(source.random() * 3)]
    return f"Can you please {what} for me in {document.connector_label} {when}? I need it for this: {about}."


def _own_terms(document: ToolDocument) -> list[str]:
    """The name's terms without those of the label before them."""
    terms = list(dict.fromkeys(plain_terms(document.name)))
    label = set(plain_terms(document.connector_label))
    return [term for term in terms if term not in label] or terms
