"""Which apps a query names.

The rule. A name is matched word by word, without case, as one unbroken run of words, the longest run first;
"Cal.com" is also found as `calcom`, and a name in one word also inside a camelCase word. What counts as a name: the
label of a connector in the pool, the labels its caller could connect, their aliases, and the well-known products of
`data/products.tsv` with aliases and domains. Literals are never looked into.

A name that is also ordinary words (Close, Box, Monday) counts only with a cue:

1. it heads an identifier: `box_list_files`. If it is itself a verb of tool names, another verb must follow it
   (`close_list_leads`, not `close_ticket`);
2. it is capitalised and follows *in, on, from, via, to, with, using* or *through*: "in Close", not "to close". A day
   of the week does not count after *on* or *from*;
3. it follows *in, via, using, with* or *from*, in any case, and ends its clause: "list leads in close";
4. it is capitalised while the words beside it are not, and does not open the query: "create a Box folder";
5. a word like *account, workspace* or *api* follows, and it is no verb: "my slack workspace";
6. it is the whole query, and no verb: "notion";
7. it opens the query, is no verb itself, and a verb of tool names follows, or after a capital any word with a
   meaning of its own: "notion create page", "Box folder", not "box of notes".

One run may name several apps (a mail and a calendar app called Outlook). Apps of the pool come before those
elsewhere, and a product that opens a pool label ("Google" for Google Drive) stands for those labels.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

from search.ranking.documents import AppName
from search.ranking.language import FUNCTION_WORDS, SENTENCE_WORDS, TOOL_VERBS, singular
from search.ranking.ordinary import WEEKDAYS, is_ordinary
from search.ranking.products import Product, well_known
from search.ranking.terms import LONGEST_BRAND, find_words
from search.ranking.tokens import camel_parts, fold
from search.ranking.words import Word

type Phrase = tuple[str, ...]

_LEADS_TO_A_NAME = frozenset({"in", "on", "from", "via", "to", "with", "using", "through"})
_LEADS_TO_A_FINAL_NAME = frozenset({"in", "via", "using", "with", "from"})
_LEADS_TO_A_DAY = frozenset({"on", "from", "to", "through"})
_KINDS_OF_APP = frozenset({"account", "api", "app", "instance", "integration", "organization", "workspace"})
_SUFFIXES = frozenset({"mcp", "server", "api", "connector"})


class Place(IntEnum):
    POOL = 0
    KNOWN = 1
    PRODUCT = 2


@dataclass(frozen=True, slots=True)
class App:
    label: str
    place: Place


@dataclass(frozen=True, slots=True)
class Entry:
    """One way to name some apps."""

    apps: tuple[App, ...]
    ordinary: bool


@dataclass(frozen=True, slots=True)
class Mention:
    """The words `start` to `end` (exclusive) of a query name these apps."""

    start: int
    end: int
    apps: tuple[App, ...]


type Names = dict[Phrase, Entry]


class Lexicon:
    """The names that a query may hold, for one pool."""

    def __init__(self, pool: Iterable[str], known: Iterable[AppName]) -> None:
        known = tuple(known)
        aliases = {app.label: app.aliases for app in known}
        own: dict[Phrase, dict[App, bool]] = {}
        labels = tuple(dict.fromkeys(pool))
        for label in labels:
            _add(own, App(label, Place.POOL), aliases.get(label, ()))
        for app in known:
            if app.label not in labels:
                _add(own, App(app.label, Place.KNOWN), app.aliases)
        self._own = {phrase: _entry(phrase, apps) for phrase, apps in own.items()}
        self._own |= _vendors(labels, self._own)
        self._longest = _longest_by_first_word(self._own)

    def mentions(self, words: Sequence[Word]) -> list[Mention]:
        found: list[Mention] = []
        start = 0
        while start < len(words):
            mention = self._mention_at(words, start)
            if mention is not None:
                found.append(mention)
            start = mention.end if mention else start + 1
        return found

    def _mention_at(self, words: Sequence[Word], start: int) -> Mention | None:
        first = words[start].folded
        longest = max(self._longest.get(first, 0), _longest_product().get(first, 0))
        for end in range(min(len(words), start + longest), start, -1):
            entry = self._lookup(tuple(word.folded for word in words[start:end])) or self._plural(words, start, end)
            unbroken = words[start].clause == words[end - 1].clause
            if entry and unbroken and (not entry.ordinary or has_cue(words, start, end)):
                return Mention(start, end, entry.apps)
        return self._inside(words, start)

    def _plural(self, words: Sequence[Word], start: int, end: int) -> Entry | None:
        """Several of a product whose name is more than one word: "my Google Drives"."""
        if end - start < 2:
            return None
        return self._lookup((*(word.folded for word in words[start : end - 1]), singular(words[end - 1].folded)))

    def _inside(self, words: Sequence[Word], start: int) -> Mention | None:
        """A name at the head of a camelCase word, or at its tail if no verb heads it: `githubIssues`, `AskReddit`."""
        if words[start].identifier < 0:
            return None
        parts = list(map(fold, camel_parts(words[start].text)))
        lengths = range(min(len(parts) - 1, LONGEST_BRAND), 0, -1)
        heads = ["".join(parts[:length]) for length in lengths]
        tails = ["".join(parts[-length:]) for length in lengths] if parts[0] not in TOOL_VERBS else []
        for name in (*heads, *tails):
            entry = self._lookup((name,))
            if entry and not entry.ordinary:
                return Mention(start, start + 1, entry.apps)
        return None

    def _lookup(self, phrase: Phrase) -> Entry | None:
        """A product of a product in the pool, as GitHub Actions is of GitHub, stands for that one."""
        entry = self._own.get(phrase)
        if entry is None and (entry := _product_names().get(phrase)) is not None:
            makers = (self._own.get(phrase[:length]) for length in range(len(phrase) - 1, 0, -1))
            return next((m for m in makers if m and m.apps[0].place == Place.POOL and not m.ordinary), entry)
        return entry


def has_cue(words: Sequence[Word], start: int, end: int) -> bool:
    """Whether ordinary words are meant as a name here: the cues in the module's docstring, by number."""
    first, last = words[start], words[end - 1]
    if first.folded in SENTENCE_WORDS and first.identifier != 0:
        return False
    before = words[start - 1] if start else None
    after = words[end] if end < len(words) else None
    verb = first.folded in TOOL_VERBS
    verb_follows = after is not None and after.folded in TOOL_VERBS
    if first.identifier == 0 and after is not None and after.identifier > 0:  # 1
        return verb_follows or not verb
    if first.identifier > 0:
        return False
    if after is not None and after.folded in _KINDS_OF_APP and not verb:  # 5
        return True
    if before is not None and before.clause == first.clause:
        ends = after is None or after.clause != last.clause
        return _follows_a_lead(before.folded, first, ends) or _stands_out(words, start, end)  # 2, 3, 4
    alone = after is None
    return start == 0 and not verb and (alone or verb_follows or _opens_a_title(first, after))  # 6, 7


def _opens_a_title(first: Word, after: Word | None) -> bool:
    return first.capitalised and after is not None and after.folded not in FUNCTION_WORDS


def _follows_a_lead(lead: str, first: Word, ends_clause: bool) -> bool:
    if first.folded in WEEKDAYS and lead in _LEADS_TO_A_DAY:
        return False
    if first.capitalised and lead in _LEADS_TO_A_NAME:
        return True
    return ends_clause and lead in _LEADS_TO_A_FINAL_NAME


def _stands_out(words: Sequence[Word], start: int, end: int) -> bool:
    if not words[start].capitalised or words[start].folded in WEEKDAYS:
        return False
    before_is_lower = start == 1 or not words[start - 1].capitalised
    return before_is_lower and (end == len(words) or not words[end].capitalised)


def _add(names: dict[Phrase, dict[App, bool]], app: App, aliases: Iterable[str]) -> None:
    products = _products_called(_squeezed(app.label))
    for product in products:
        for name in product.names:
            for phrase in _phrases(name):
                names.setdefault(phrase, {}).setdefault(app, _single_word_is_ordinary(product, phrase))
    for name in (app.label, *_without_suffix(app.label), *aliases):
        for phrase in _phrases(name):
            names.setdefault(phrase, {}).setdefault(app, is_ordinary(phrase) if not products else False)


def _without_suffix(label: str) -> tuple[str, ...]:
    """ "docker-mcp-server" is called docker."""
    words = [fold(word) for word in find_words(label)]
    kept = [word for word in words if word not in _SUFFIXES]
    return (" ".join(kept),) if kept and kept != words else ()


def _longest_by_first_word(names: Iterable[Phrase]) -> dict[str, int]:
    longest: dict[str, int] = {}
    for phrase in names:
        longest[phrase[0]] = max(longest.get(phrase[0], 0), len(phrase))
    return longest


@cache
def _longest_product() -> dict[str, int]:
    return _longest_by_first_word(_product_names())


def _entry(phrase: Phrase, apps: dict[App, bool]) -> Entry:
    """Apps of the pool come first; one whose label is the phrase itself comes before one that inherited it."""
    nearest = min(app.place for app in apps)
    same = {app: ordinary for app, ordinary in apps.items() if app.place == nearest}
    exact = {app: ordinary for app, ordinary in same.items() if _squeezed(app.label) == "".join(phrase)}
    chosen = exact or same
    return Entry(tuple(chosen), all(chosen.values()))


def _vendors(labels: Iterable[str], own: Names) -> Names:
    vendors: dict[Phrase, list[App]] = {}
    for label in labels:
        words = tuple(map(fold, find_words(label)))
        for length in range(1, len(words)):
            if words[:length] in _product_names() and words[:length] not in own:
                vendors.setdefault(words[:length], []).append(App(label, Place.POOL))
    return {phrase: Entry(tuple(apps), _product_names()[phrase].ordinary) for phrase, apps in vendors.items()}


def _phrases(name: str) -> set[Phrase]:
    words = tuple(map(fold, find_words(name)))
    return {words, ("".join(words),)} if words else set()


def _squeezed(name: str) -> str:
    return "".join(map(fold, find_words(name)))


@cache
def _product_names() -> Names:
    names: dict[Phrase, dict[App, bool]] = {}
    for product in well_known():
        app = App(product.name, Place.PRODUCT)
        for name in product.names:
            for phrase in _phrases(name):
                names.setdefault(phrase, {}).setdefault(app, _single_word_is_ordinary(product, phrase))
    return {phrase: _entry(phrase, apps) for phrase, apps in names.items()}


def _single_word_is_ordinary(product: Product, phrase: Phrase) -> bool:
    """A product marked ordinary is so by its short names: "box", not "box.com"."""
    return product.ordinary and is_ordinary(phrase)


@cache
def _products_by_name() -> dict[str, tuple[Product, ...]]:
    found: dict[str, list[Product]] = {}
    for product in well_known():
        for name in dict.fromkeys(_squeezed(name) for name in (product.name, *product.aliases)):
            found.setdefault(name, []).append(product)
    return {name: tuple(products) for name, products in found.items()}


def _products_called(squeezed: str) -> tuple[Product, ...]:
    return _products_by_name().get(squeezed, ())
