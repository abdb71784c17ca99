"""The keywords of a schema that hold no other schema: which survive as JSON Schema 2020-12, and as what.

A keyword whose value makes no sense (`minLength: "1"`, a pattern that no engine compiles) is left out: the
schema then admits more, and the upstream has the last word.
"""

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import jsonschema_rs

from connectors.catalog.text import plain_text

MAX_DESCRIPTION = 500

_TYPES = {
    **{name: name for name in ("string", "number", "integer", "boolean", "object", "array", "null")},
    **{
        "file": "string",
        "date": "string",
        "int": "integer",
        "long": "integer",
        "float": "number",
        "double": "number",
    },
}


def plain_keywords(node: dict[str, Any]) -> dict[str, Any]:
    """What of a schema needs no look at its sub-schemas, in the document's order."""
    kept = {key: value for key, value in node.items() if (admits := _SHAPES.get(key)) and admits(value)}
    _translate_text(kept)
    _translate_type(kept, nullable=is_nullable(node))
    _translate_bounds(kept, node)
    return kept


def is_nullable(node: dict[str, Any]) -> bool:
    """As OpenAPI 3.0 says it, or the extension that documents of 2.0 agreed on."""
    return node.get("nullable") is True or node.get("x-nullable") is True


def _translate_text(kept: dict[str, Any]) -> None:
    for key in ("title", "description"):
        if key in kept:
            kept[key] = plain_text(kept[key], MAX_DESCRIPTION)
            if not kept[key]:
                del kept[key]


def _translate_type(kept: dict[str, Any], *, nullable: bool) -> None:
    """`nullable` becomes the type null; texts written without quotes in YAML become text again."""
    types = types_of(kept.pop("type", None))
    if nullable and types and "null" not in types:
        types.append("null")
    if types:
        kept["type"] = types[0] if len(types) == 1 else types
    if "string" in types and not {"number", "integer", "boolean"} & set(types):
        _write_values_as_text(kept)
    if nullable and "enum" in kept and None not in kept["enum"]:
        kept["enum"] = [*kept["enum"], None]
    if kept.get("default", "") is None and "null" not in types:
        del kept["default"]


def _write_values_as_text(kept: dict[str, Any]) -> None:
    if "enum" in kept:
        kept["enum"] = [_as_text(value) for value in kept["enum"]]
    for key in ("default", "const"):
        if key in kept:
            kept[key] = _as_text(kept[key])


def _as_text(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, bool | int | float) else value


def _translate_bounds(kept: dict[str, Any], node: dict[str, Any]) -> None:
    """OpenAPI 3.0 writes `exclusiveMinimum: true` beside the bound; 2020-12 writes the bound itself."""
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if node.get(exclusive) is True and bound in kept:
            kept[exclusive] = kept.pop(bound)


def types_of(value: Any) -> list[str]:
    """The JSON types that `type` names, without those that do not exist."""
    names = value if isinstance(value, list) else [value]
    types = [_TYPES[name.lower()] for name in names if isinstance(name, str) and name.lower() in _TYPES]
    return list(dict.fromkeys(types))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_factor(value: Any) -> bool:
    return _is_number(value) and value > 0


def _is_filled_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value)


def _is_names_by_name(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(names, list) and all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
        for names in value.values()
    )


def is_pattern(value: Any) -> bool:
    """Whether the engine that will check arguments compiles this regular expression."""
    return isinstance(value, str) and _compiles(value)


@lru_cache(maxsize=4096)
def _compiles(pattern: str) -> bool:
    try:
        jsonschema_rs.Draft202012Validator({"pattern": pattern})
    except ValueError:
        return False
    return True


def _is_anything(value: Any) -> bool:
    return True


_SHAPES: dict[str, Callable[[Any], bool]] = {
    "title": _is_text,
    "description": _is_text,
    "type": _is_anything,
    "format": _is_text,
    "contentEncoding": _is_text,
    "contentMediaType": _is_text,
    "enum": _is_filled_list,
    "const": _is_anything,
    "default": _is_anything,
    "pattern": is_pattern,
    "minimum": _is_number,
    "maximum": _is_number,
    "exclusiveMinimum": _is_number,
    "exclusiveMaximum": _is_number,
    "multipleOf": _is_factor,
    "minLength": _is_count,
    "maxLength": _is_count,
    "minItems": _is_count,
    "maxItems": _is_count,
    "uniqueItems": lambda value: isinstance(value, bool),
    "minContains": _is_count,
    "maxContains": _is_count,
    "minProperties": _is_count,
    "maxProperties": _is_count,
    "dependentRequired": _is_names_by_name,
}
