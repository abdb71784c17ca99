"""What tools/list shows of an input: every model reads every entry, whether it needs it or not."""

from typing import Any

_SHOWN = frozenset({"type", "enum", "items", "properties", "required", "format", "description", "$ref", "$defs"})


def short(schema: dict[str, Any]) -> dict[str, Any]:
    """What a call is made of, without bounds and defaults.

    A call is checked against the whole, and what breaks a bound is told which.
    """
    parts = {name: _short_part(part) for name, part in schema["properties"].items()}
    return {key: value for key, value in schema.items() if key in _SHOWN} | {"properties": parts}


def _short_part(part: dict[str, Any]) -> dict[str, Any]:
    if part.get("anyOf", [])[1:] == [{"type": "null"}]:
        part = {**part["anyOf"][0], **part}
    return {key: value for key, value in part.items() if key in _SHOWN}
