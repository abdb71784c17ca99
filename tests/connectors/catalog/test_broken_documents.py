"""Whatever stands anywhere in a document, reading it ends in a catalog or in one clear error."""

from typing import Any

import pytest

from tests.connectors.catalog.documents import Node
from tests.connectors.catalog.nonsense import JUNK, assert_read_or_refused

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


@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_nonsense_in_any_place_is_read_or_refused_and_never_a_crash(junk: Any) -> None:
    assert_read_or_refused(EVERYTHING, junk)
