"""Real vendors' documents, where a copy of them lies beside the checkout."""

import csv
from functools import cache
from typing import Any

import pytest
from django.conf import settings

from connectors.catalog.document import Catalog
from connectors.catalog.openapi.loading import load_document
from connectors.catalog.openapi.reader import read_root

FOLDER = settings.BASE_DIR.parent / "shared" / "catalogs"
MARKS = [
    pytest.mark.catalogs,
    pytest.mark.skipif(not FOLDER.is_dir(), reason=f"the real catalogs are not here: {FOLDER}"),
]


def _operations() -> dict[str, int]:
    if not FOLDER.is_dir():
        return {}
    with (FOLDER / "MANIFEST.tsv").open(newline="") as manifest:
        return {row["file"]: int(row["operations"]) for row in csv.DictReader(manifest, delimiter="\t")}


OPERATIONS = _operations()
"""How many operations each document declares, by its file's name."""


@cache
def read(name: str) -> Catalog:
    return read_root(root(name), source=str(FOLDER / name))


@cache
def root(name: str) -> dict[str, Any]:
    """The document as it is written."""
    return load_document((FOLDER / name).read_bytes())
