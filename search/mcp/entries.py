"""What tools/list shows of an input: every model reads every entry, whether it needs it or not."""

from collections.abc import Set
from typing import Any

_SHOWN = frozenset({"type", "enum", "items", "properties", "required", "format", "description", "$ref", "$defs"})

_UNSAID = frozenset({"limit"})
"""Every list takes it, and nearly no reader needs it: a page has fifty rows, and next_cursor leads to the next."""


def short(schema: dict[str, Any], *, unsaid: Set[str] = _UNSAID) -> dict[str, Any]:
    """What a call is made of, without bounds and defaults.

    A call is checked against the whole, and what breaks a bound is told which.
    """
    parts = {name: _short_part(part) for name, part in schema["properties"].items() if name not in unsaid}
    return {key: value for key, value in schema.items() if key in _SHOWN} | {"properties": parts}


def _short_part(part: dict[str, Any]) -> dict[str, Any]:
    if part.get("anyOf", [])[1:] == [{"type": "null"}]:
        part = {**part["anyOf"][0], **part}
    return {key: value for key, value in part.items() if key in _SHOWN}
