"""Documents with nonsense in every place, one after another: each is read or refused, and none is a crash."""

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import jsonschema_rs

from connectors.catalog.document import CatalogError
from connectors.catalog.openapi.reader import read_openapi

JUNK: tuple[Any, ...] = (
    *(None, True, 0, -1.5, 10**30, "", "x", [], [None], ["a", ["b"]], {}, {"a": None}, {"$ref": 3}),
    *({"$ref": ref} for ref in ("#", "#/paths", "#/info/title", "#/components/schemas/Thing", "other.yaml#/X")),
)


def assert_read_or_refused(document: dict[str, Any], junk: Any) -> None:
    """With this in every place of the document in turn."""
    for way in _places(document):
        try:
            catalog = read_openapi(_with(document, junk, way), source="https://vendor.example/everything.json")
        except CatalogError:
            continue
        assert len(catalog.tools) + len(catalog.skipped) >= 1, way
        for tool in catalog.tools:
            jsonschema_rs.Draft202012Validator(tool.input_schema)
            json.dumps(tool.binding.to_json())


def _places(node: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        yield (*way, key)
        yield from _places(value, (*way, key))


def _with(document: dict[str, Any], junk: Any, way: tuple[Any, ...]) -> bytes:
    changed = deepcopy(document)
    node: Any = changed
    for key in way[:-1]:
        node = node[key]
    node[way[-1]] = junk
    return json.dumps(changed).encode()
