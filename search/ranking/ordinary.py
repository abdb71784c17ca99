"""Names that are also ordinary words, so that meeting the words does not yet mean the app."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from search.ranking.language import FUNCTION_WORDS, TOOL_VERBS
from search.ranking.products import Product, well_known
from search.ranking.terms import find_words
from search.ranking.tokens import fold

WEEKDAYS = frozenset({"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"})


def is_ordinary(phrase: Sequence[str]) -> bool:
    """Every word of the phrase is an everyday word, or a letter or number alone."""
    return all(len(word) == 1 or word.isdigit() or word in _everyday_words() for word in phrase)


@cache
def _everyday_words() -> frozenset[str]:
    text = (files("search.ranking") / "data" / "ordinary_words.txt").read_text(encoding="utf-8")
    return FUNCTION_WORDS | TOOL_VERBS | frozenset(text.split()) | _ordinary_products()


def _ordinary_products() -> set[str]:
    """Gong, the otter of Otter.ai, the excel of Microsoft Excel; no other alias, for tweets are nothing else."""
    return {word for product in well_known() if product.ordinary for word in _short_names(product)}


def _short_names(product: Product) -> set[str]:
    words = [fold(word) for word in find_words(product.name)]
    return {word for word in words if word in product.aliases or (" " not in product.name and word == words[0])}
