"""Schemas too large to hand to a model: cut so that everything a call must give is still there."""

import json
from collections.abc import Iterator
from typing import Any

MAX_BYTES = 8 * 1024
MARK = "x_truncated"
_KEPT = ("type", "format", "enum", "const", "items", "$ref", "required", "default", "description", "properties")
_SHORT = 120


def trimmed(schema: dict[str, Any], max_bytes: int = MAX_BYTES) -> dict[str, Any]:
    """The schema itself if it is small enough, else the fullest cut of it that is, marked `x_truncated: true`.

    Each cut keeps every required property at every level that it keeps. The stored schema stays the one that arguments
    are checked against, so a trimmed one never forbids what the whole one allows.
    """
    if size_of(schema) <= max_bytes:
        return schema
    for cut in _cuts(schema):
        if size_of(cut) <= max_bytes:
            return cut
    return cut


def _cuts(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    steps = ((8, True, True), (4, True, True), (3, True, False), (3, False, True), (2, False, False))
    for depth, optional, text in steps:
        yield _marked(_cut(schema, schema, depth, optional=optional, text=text))
    required = schema.get("required", [])
    yield _marked({"properties": {name: {} for name in required}, "required": required})


def _cut(node: Any, root: dict[str, Any], depth: int, *, optional: bool, text: bool) -> dict[str, Any]:
    """One level: references are followed where their target is kept, and dropped where it is not."""
    node = _resolved(node, root)
    if depth == 0 or not isinstance(node, dict):
        return {"type": node["type"]} if isinstance(node, dict) and "type" in node else {}
    kept = {key: value for key, value in node.items() if key in _KEPT and key not in ("properties", "items", "$ref")}
    if "description" in kept:
        kept["description"] = _shortened(kept["description"]) if text else ""
    if not kept.get("description"):
        kept.pop("description", None)
    required = node.get("required", ())
    if "properties" in node:
        kept["properties"] = {
            name: _cut(child, root, depth - 1, optional=optional, text=text)
            for name, child in node["properties"].items()
            if optional or name in required
        }
    if "items" in node:
        kept["items"] = _cut(node["items"], root, depth - 1, optional=optional, text=text)
    return kept


def _resolved(node: Any, root: dict[str, Any]) -> Any:
    for _ in range(8):  # a chain of references longer than this is a circle
        if not isinstance(node, dict) or "$ref" not in node:
            return node
        name = str(node["$ref"]).removeprefix("#/$defs/")
        node = {**root.get("$defs", {}).get(name, {}), **{key: value for key, value in node.items() if key != "$ref"}}
    return {}


def _marked(schema: dict[str, Any]) -> dict[str, Any]:
    return {**schema, "type": "object", MARK: True}


def _shortened(text: object) -> str:
    words = str(text)
    return words if len(words) <= _SHORT else words[: _SHORT - 1].rstrip() + "…"


def size_of(value: Any) -> int:
    """In bytes, as it travels."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
