"""Well-known products, whether or not they can be connected here: `data/products.tsv`."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from search.ranking.tokens import camel_parts, fold


@dataclass(frozen=True, slots=True)
class Product:
    name: str
    aliases: tuple[str, ...]
    domains: tuple[str, ...]
    ordinary: bool
    """The name is also an ordinary English word."""

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases, *self.domains)


@cache
def well_known() -> tuple[Product, ...]:
    text = (files("search.ranking") / "data" / "products.tsv").read_text(encoding="utf-8")
    return tuple(map(_product, text.splitlines()[1:]))


def _product(line: str) -> Product:
    name, aliases, domains, ordinary = line.split("\t")
    return Product(name, _split(aliases), _split(domains), ordinary == "yes")


def _split(cell: str) -> tuple[str, ...]:
    return tuple(cell.split("|")) if cell else ()


@cache
def camel_brands() -> frozenset[str]:
    """Brands written with a capital inside, in lower case: "GitHub" is one word, not `git hub`."""
    names = (name for product in well_known() for name in product.names if name.isalnum())
    return frozenset(fold(name) for name in names if len(camel_parts(name)) > 1)
