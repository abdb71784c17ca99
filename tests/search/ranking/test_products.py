"""The list of well-known products is well formed: one row a product, no name or alias claimed twice."""

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

PRODUCTS = Path(__file__).parents[3] / "search" / "ranking" / "data" / "products.tsv"
HEADER = "name\taliases\tdomains\tordinary"
DOMAIN = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}")


class Product(NamedTuple):
    name: str
    aliases: list[str]
    domains: list[str]
    ordinary: str


def _split(cell: str) -> list[str]:
    return cell.split("|") if cell else []


@pytest.fixture(scope="module")
def lines() -> list[str]:
    text = PRODUCTS.read_bytes().decode("utf-8")
    assert text.endswith("\n")
    return text[:-1].split("\n")


@pytest.fixture(scope="module")
def products(lines: list[str]) -> list[Product]:
    rows = []
    for line in lines[1:]:
        cells = line.split("\t")
        assert len(cells) == 4, line
        name, aliases, domains, ordinary = cells
        rows.append(Product(name, _split(aliases), _split(domains), ordinary))
    return rows


def _repeated(values: list[str]) -> list[str]:
    return [value for value, count in Counter(values).items() if count > 1]


def test_header(lines: list[str]) -> None:
    assert lines[0] == HEADER


def test_has_enough_rows(products: list[Product]) -> None:
    assert len(products) >= 600


def test_sorted_by_name(products: list[Product]) -> None:
    names = [product.name.casefold() for product in products]
    assert names == sorted(names)


def test_no_stray_whitespace(lines: list[str]) -> None:
    cells = [part for line in lines for cell in line.split("\t") for part in cell.split("|")]
    assert [cell for cell in cells if cell != " ".join(cell.split())] == []


def test_every_row_has_a_name(products: list[Product]) -> None:
    assert [product for product in products if not product.name or "|" in product.name] == []


def test_names_are_unique(products: list[Product]) -> None:
    assert _repeated([product.name.casefold() for product in products]) == []


def test_aliases_are_unique(products: list[Product]) -> None:
    assert _repeated([alias.casefold() for product in products for alias in product.aliases]) == []


def test_no_alias_is_a_name(products: list[Product]) -> None:
    names = {product.name.casefold() for product in products}
    aliases = [alias for product in products for alias in product.aliases]
    assert [alias for alias in aliases if alias.casefold() in names] == []


def test_aliases_have_two_characters_or_more(products: list[Product]) -> None:
    assert [product for product in products if any(len(alias) < 2 for alias in product.aliases)] == []


def test_domains_look_like_domains(products: list[Product]) -> None:
    domains = [domain for product in products for domain in product.domains]
    assert [domain for domain in domains if not DOMAIN.fullmatch(domain)] == []


def test_domains_are_unique(products: list[Product]) -> None:
    assert _repeated([domain for product in products for domain in product.domains]) == []


def test_ordinary_is_yes_or_empty(products: list[Product]) -> None:
    assert {product.ordinary for product in products} == {"", "yes"}
