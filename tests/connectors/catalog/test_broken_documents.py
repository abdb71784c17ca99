"""Whatever stands anywhere in a document, reading it ends in a catalog or in one clear error."""

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import jsonschema_rs
import pytest

from connectors.catalog.document import CatalogError
from connectors.catalog.openapi import read_openapi
from tests.connectors.catalog.documents import Node

EVERYTHING: Node = {
    "openapi": "3.0.3",
    "info": {"title": "Everything", "version": "1"},
    "servers": [{"url": "https://{host}.example/v1", "variables": {"host": {"default": "a", "enum": ["a"]}}}],
    "security": [{"key": []}],
    "paths": {
        "/things/{id}": {
            "parameters": [{"$ref": "#/components/parameters/Id"}],
            "servers": [{"url": "/v2"}],
            "put": {
                "operationId": "putThing",
                "summary": "Put",
                "description": "<p>Puts.</p>",
                "deprecated": True,
                "parameters": [
                    {
                        "name": "filter[a]",
                        "in": "query",
                        "required": True,
                        "style": "deepObject",
                        "explode": True,
                        "schema": {"type": "object", "additionalProperties": {"type": "integer"}},
                    },
                    {"name": "X-Version", "in": "header", "schema": {"enum": ["1"], "default": "1"}},
                    {"name": "where", "in": "query", "content": {"application/json": {"schema": {"type": "array"}}}},
                ],
                "requestBody": {"$ref": "#/components/requestBodies/Thing"},
            },
        }
    },
    "components": {
        "parameters": {"Id": {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}},
        "requestBodies": {
            "Thing": {
                "required": True,
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}},
            }
        },
        "schemas": {
            "Thing": {
                "allOf": [{"$ref": "#/components/schemas/Named"}],
                "type": "object",
                "required": ["kind"],
                "properties": {
                    "kind": {"type": "string", "enum": ["a"], "nullable": True, "pattern": "^a$", "minLength": 1},
                    "size": {"type": "integer", "minimum": 0, "exclusiveMinimum": True, "readOnly": False},
                    "parts": {"type": "array", "items": {"oneOf": [{"$ref": "#/components/schemas/Named"}, {}]}},
                    "map": {"patternProperties": {"^x": {"not": {"type": "null"}}}, "dependentRequired": {"a": ["b"]}},
                },
            },
            "Named": {"type": "object", "properties": {"name": {"type": "string", "default": "x"}}},
        },
        "securitySchemes": {
            "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
            "oauth": {"type": "oauth2", "flows": {"implicit": {"authorizationUrl": "https://a.example", "scopes": {}}}},
        },
    },
}
JUNK: tuple[Any, ...] = (
    *(None, True, 0, -1.5, 10**30, "", "x", [], [None], ["a", ["b"]], {}, {"a": None}, {"$ref": 3}),
    *({"$ref": ref} for ref in ("#", "#/paths", "#/info/title", "#/components/schemas/Thing", "other.yaml#/X")),
)


def _places(node: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        yield (*way, key)
        yield from _places(value, (*way, key))


def _with(junk: Any, way: tuple[Any, ...]) -> bytes:
    document = deepcopy(EVERYTHING)
    node: Any = document
    for key in way[:-1]:
        node = node[key]
    node[way[-1]] = junk
    return json.dumps(document).encode()


@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_nonsense_in_any_place_is_read_or_refused_and_never_a_crash(junk: Any) -> None:
    for way in _places(EVERYTHING):
        try:
            catalog = read_openapi(_with(junk, way), source="https://vendor.example/everything.json")
        except CatalogError:
            continue
        assert len(catalog.tools) + len(catalog.skipped) >= 1, way
        for tool in catalog.tools:
            jsonschema_rs.Draft202012Validator(tool.input_schema)
            json.dumps(tool.binding.to_json())
