"""What is different about a tool, in a few words each, for people who decide whether that matters."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

type Facts = Mapping[str, Any]
"""A tool's fields by name, as they are stored."""


def describe_changes(before: Facts, after: Facts) -> tuple[str, ...]:
    """Nothing where both are the same once stored; never what a description or a schema holds."""
    return tuple(_described(before, after))


def same(before: Any, after: Any) -> bool:
    """As they look once stored: in JSON a tuple is a list, 1 is not true, and keys have no order."""
    return json.dumps(before, sort_keys=True) == json.dumps(after, sort_keys=True)


def _described(before: Facts, after: Facts) -> Iterator[str]:
    if before["operation"] != after["operation"]:
        yield f"operation: {before['operation']} → {after['operation']}"
    if before["description"] != after["description"]:
        yield "description"
    yield from _arguments(before["input_schema"], after["input_schema"])
    yield from _effects(before["annotations"], after["annotations"])
    yield from _request(before["binding"], after["binding"])
    if before["deprecated"] != after["deprecated"]:
        yield "now deprecated" if after["deprecated"] else "no longer deprecated"


def _arguments(before: Facts, after: Facts) -> Iterator[str]:
    if same(before, after):
        return
    old, new = before.get("properties", {}), after.get("properties", {})
    were, are = set(before.get("required", ())), set(after.get("required", ()))
    said = [
        *(f"argument {name} added{', required' if name in are else ''}" for name in sorted(set(new) - set(old))),
        *(f"argument {name} removed" for name in sorted(set(old) - set(new))),
        *(f"argument {name} is now required" for name in sorted((are - were) & set(old) & set(new))),
        *(f"argument {name} is no longer required" for name in sorted((were - are) & set(old) & set(new))),
        *(f"argument {name} changed" for name in sorted(set(old) & set(new)) if not same(old[name], new[name])),
    ]
    yield from said or ["what its arguments may hold"]


def _effects(before: Facts, after: Facts) -> Iterator[str]:
    if same(before, after):
        return
    effects = effect(before), effect(after)
    if effects[0] != effects[1]:
        yield f"effect: {effects[0]} → {effects[1]}"
    elif before.get("title") != after.get("title"):
        yield "title"
    else:
        yield "hints on its effect"


def effect(annotations: Facts) -> str:
    if annotations.get("destructiveHint"):
        return "deletes"
    return "reads" if annotations.get("readOnlyHint") else "writes"


def _request(before: Facts, after: Facts) -> Iterator[str]:
    if same(before, after):
        return
    old, new = _place(before), _place(after)
    yield f"request: {old} → {new}" if old != new else "how its arguments are sent"


def _place(binding: Facts) -> str:
    return f"{binding.get('method', '')} {binding.get('base_url', '')}{binding.get('path', '')}".strip()
