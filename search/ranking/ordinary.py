"""Names that are also ordinary words, so that meeting the words does not yet mean the app."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from search.ranking.language import FUNCTION_WORDS, TOOL_VERBS
from search.ranking.products import well_known
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
    """ "Gong" and "Otter.ai", but not "Microsoft Excel", and no alias: nobody says "tweets" of anything else."""
    names = (product.name for product in well_known() if product.ordinary)
    return {fold(find_words(name)[0]) for name in names if " " not in name}
