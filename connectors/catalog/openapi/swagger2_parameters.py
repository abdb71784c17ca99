"""Parameters of OpenAPI 2.0, which are their own schemas, as parameters and form fields that have one.

3.0 has a style for most of the ways in which 2.0 joins an array. What it has none for is an argument of
text, whose description says what to separate the values by.
"""

from typing import Any

type Node = dict[str, Any]

FILE = "file"
_NO_SCHEMA = ("name", "in", "required", "description", "collectionFormat", "allowEmptyValue")
_QUERY_STYLES = {
    "csv": {"style": "form", "explode": False},
    "ssv": {"style": "spaceDelimited", "explode": False},
    "pipes": {"style": "pipeDelimited", "explode": False},
    "multi": {"style": "form", "explode": True},
}
# Path and header parameters; simple is their own style.
_SIMPLE_STYLES = {"csv": {"style": "simple", "explode": False}}
_SEPARATORS = {"csv": "commas", "ssv": "spaces", "tsv": "tabs", "pipes": "pipes (|)", "multi": "commas"}


def parameter(node: Node) -> Node:
    """A parameter of the path, the query or a header."""
    if "schema" in node:  # Written as in 3.0.
        return node
    kept: Node = {key: node[key] for key in ("name", "in", "required", "description") if key in node}
    if node.get("type") != "array":
        return {**kept, "schema": _schema(node)}
    styles = _QUERY_STYLES if node["in"] == "query" else _SIMPLE_STYLES
    if style := styles.get(_collection(node)):
        return {**kept, **style, "schema": _schema(node)}
    return {**kept, "description": _separated(node), "schema": {"type": "string"}}


def field(node: Node) -> Node:
    """The schema of one field of a form, where an array repeats the field or is text."""
    if node.get("type") == "array" and _collection(node) != "multi":
        return _as_text(node)
    described = {"description": node["description"]} if "description" in node else {}
    return {**_schema(node), **described}


def _schema(node: Node) -> Node:
    schema = {key: value for key, value in node.items() if key not in _NO_SCHEMA}
    if schema.get("type") == FILE:
        return {**schema, "type": "string", "format": "binary"}
    items = schema.get("items")
    if isinstance(items, dict) and items.get("type") == "array":
        schema["items"] = _as_text(items)
    return schema or {"type": "string"}


def _as_text(node: Node) -> Node:
    return {"type": "string", "description": _separated(node)}


def _separated(node: Node) -> str:
    described = node.get("description")
    hint = f"Values separated by {_SEPARATORS[_collection(node)]}."
    return f"{described} {hint}" if isinstance(described, str) and described else hint


def _collection(node: Node) -> str:
    """How an array is joined: by commas, unless the document says otherwise."""
    named = node.get("collectionFormat")
    return named if isinstance(named, str) and named in _SEPARATORS else "csv"
