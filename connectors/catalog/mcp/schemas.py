"""Input schemas of MCP tools in the form that every catalog has: an object at the root, and only own references."""

from collections.abc import Iterator
from typing import Any

from connectors.catalog.openapi.references import Document
from connectors.catalog.openapi.schemas import Schema, Schemas, names_in

_COMBINATORS = ("allOf", "anyOf", "oneOf")
_MAX_DEPTH = 5


def object_schema(schema: dict[str, Any]) -> Schema:
    """The schema as JSON Schema 2020-12 with root `type: object`, which admits whatever it admitted.

    Alternatives at the root, which clients refuse, become one object with the properties of all of them.
    """
    document = _document(schema)
    schemas = Schemas(document)
    root = schemas.translate(_flat(document, schema))
    # A nullable root, and one that forgot to say so, take an object all the same.
    return schemas.with_definitions({**root, "type": "object", "properties": root.get("properties", {})})


def _document(schema: dict[str, Any]) -> Document:
    """With the definitions where a document of today has them, whatever the draft calls their place."""
    definitions = {
        name: node
        for key in ("definitions", "$defs")
        if isinstance(found := schema.get(key), dict)
        for name, node in found.items()
    }
    place = ("components", "schemas")
    return Document({**schema, "components": {"schemas": definitions}}, moved={"$defs": place, "definitions": place})


def _flat(document: Document, schema: dict[str, Any]) -> dict[str, Any]:
    """Without combinators and without a reference in place of the root."""
    parts = list(_parts(document, schema, required=True, depth=_MAX_DEPTH))
    properties: dict[str, Any] = {}
    for part, _ in parts:
        found = part.get("properties")
        for name, node in found.items() if isinstance(found, dict) else ():
            properties.setdefault(name, node)
    required = [name for part, always in parts if always for name in names_in(part.get("required"))]
    dropped = (*_COMBINATORS, "$ref", "title", "properties", "required", "if", "then", "else", "not")
    flat = {key: value for key, value in parts[0][0].items() if key not in dropped}
    if len(parts) > 1:
        # Which alternative was meant decides what is unknown, and the server knows.
        flat.pop("additionalProperties", None)
        flat.pop("unevaluatedProperties", None)
    return {**flat, "properties": properties, "required": list(dict.fromkeys(required))}


def _parts(document: Document, node: Any, *, required: bool, depth: int) -> Iterator[tuple[dict[str, Any], bool]]:
    """The schema and those it is put together of, each with whether what it requires is always required."""
    found = document.follow_or_none(node)
    if not isinstance(found, dict) or depth == 0:
        return
    yield found, required
    for key in _COMBINATORS:
        members = found.get(key)
        for member in members if isinstance(members, list) else ():
            yield from _parts(document, member, required=required and key == "allOf", depth=depth - 1)
