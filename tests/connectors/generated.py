"""Arguments that fit a tool's input schema, made from a seed: what is required, and some of what is not."""

import math
from random import Random
from typing import Any

from connectors.binding import Binding, Location
from connectors.execution.validation import validate

type Schema = dict[str, Any]

# Letters, spaces and what a URL, a form or a header must quote; no separator of a style, which nothing could tell
# from one of the value's own.
_TEXTS = ("plain", "a b", "ü&=#+%", "100%25 ?x=1", "quote\" 'q'", "[x]", "名")
_ASCII = ("plain", "a b", "x&y=z", "100%25")
_FORMATS = {
    "date": "2026-02-28",
    "date-time": "2026-02-28T12:30:00Z",
    "email": "ann@example.com",
    "ipv4": "192.0.2.1",
    "uri": "https://example.com/a?b=c",
    "uuid": "1b4e28ba-2fa1-41d2-883f-0016d3cca427",
    "byte": "aGVsbG8=",
    "hostname": "example.com",
    "time": "12:30:00Z",
}
# For the patterns that real documents have.
_PATTERNED = (
    "a",
    "abc",
    "1",
    "0",
    "12",
    "123456",
    "2026-02-28",
    "#aabbcc",
    "US",
    "eng",
    "en-US",
    "$ext",
    "12345678901",
)
_DEEPEST = 5


class CannotGenerate(Exception):
    """No arguments were found that fit; the message is the reason that the schema gives for refusing the last."""


def arguments(schema: Schema, seed: int, *, ascii_only: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Ever fewer of the optional arguments are given, until the schema admits them. Raises CannotGenerate."""
    problems = []
    for attempt in range(12):
        made = _Maker(schema, Random(seed * 100 + attempt), eagerness=0.5 - attempt * 0.05, ascii_only=ascii_only)
        found = made.arguments()
        problems = validate(schema, found)
        if not problems:
            return found
    raise CannotGenerate(problems)


def in_headers(binding: Binding) -> frozenset[str]:
    """The arguments that travel in headers, which hold ASCII alone."""
    return frozenset(it.argument for it in binding.parameters if it.location is Location.HEADER)


class _Maker:
    def __init__(self, schema: Schema, random: Random, *, eagerness: float, ascii_only: frozenset[str]) -> None:
        self._schema = schema
        self._random = random
        self._eagerness = eagerness
        self._ascii_only = ascii_only

    def arguments(self) -> dict[str, Any]:
        required = self._schema.get("required", ())
        given = [it for it in self._schema["properties"] if it in required or self._random.random() < self._eagerness]
        return {name: self._value(self._schema["properties"][name], 1, name in self._ascii_only) for name in given}

    def _value(self, schema: Schema, depth: int, ascii_only: bool = False) -> Any:
        schema = self._one(schema)
        if "const" in schema:
            return schema["const"]
        if values := [it for it in schema.get("enum", ()) if it is not None]:
            return self._random.choice(values)
        match self._type(schema):
            case "object":
                return self._object(schema, depth)
            case "array":
                return self._array(schema, depth, ascii_only)
            case "integer":
                return self._integer(schema)
            case "number":
                return self._integer(schema) + (0.5 if not {"multipleOf", "maximum"} & set(schema) else 0)
            case "boolean":
                return self._random.random() < 0.5
            case "null":
                return None
            case _:
                return self._text(schema, ascii_only)

    def _one(self, schema: Schema) -> Schema:
        """One of the schema's ways, with everything that holds at once in one mapping."""
        for _ in range(30):
            if "$ref" in schema:
                target = self._schema["$defs"][schema["$ref"].removeprefix("#/$defs/")]
                schema = _joined(target, {key: it for key, it in schema.items() if key != "$ref"})
            elif "anyOf" in schema:
                chosen = self._random.choice([it for it in schema["anyOf"] if it.get("type") != "null"])
                schema = _joined({key: it for key, it in schema.items() if key != "anyOf"}, chosen)
            elif "allOf" in schema:
                parts = schema["allOf"]
                schema = {key: it for key, it in schema.items() if key != "allOf"}
                for part in parts:
                    schema = _joined(schema, self._one(part))
            else:
                break
        return schema

    def _type(self, schema: Schema) -> str:
        types = schema.get("type", "object" if "properties" in schema else "array" if "items" in schema else "string")
        kinds = [it for it in types if it != "null"] if isinstance(types, list) else [types]
        return str(self._random.choice(kinds or ["null"]))

    def _object(self, schema: Schema, depth: int) -> dict[str, Any]:
        required = schema.get("required", ())
        properties = schema.get("properties", {})
        eagerness = self._eagerness if depth < _DEEPEST else 0
        names = [it for it in properties if it in required or self._random.random() < eagerness]
        names = names or list(properties)[: schema.get("minProperties", 0 if depth >= _DEEPEST else 1)]
        made = {name: self._value(properties[name], depth + 1) for name in names}
        extra = schema.get("additionalProperties")
        if not properties and depth < _DEEPEST:
            made["key"] = self._value(extra, depth + 1) if isinstance(extra, dict) and extra else "value"
        return made | {name: "x" for name in required if name not in made}

    def _array(self, schema: Schema, depth: int, ascii_only: bool) -> list[Any]:
        fewest, most = schema.get("minItems", 0), schema.get("maxItems", 3)
        number = fewest if depth >= _DEEPEST else max(fewest, min(most, self._random.randint(1, 2)))
        items = [self._value(schema.get("items", {"type": "string"}), depth + 1, ascii_only) for _ in range(number)]
        unique = schema.get("uniqueItems")
        return [it for place, it in enumerate(items) if not unique or it not in items[:place]]

    def _integer(self, schema: Schema) -> int:
        low = schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1 if "exclusiveMinimum" in schema else None)
        high = schema.get("maximum", schema.get("exclusiveMaximum", 1) - 1 if "exclusiveMaximum" in schema else None)
        low = math.ceil(low) if low is not None else (0 if high is None or high >= 0 else math.floor(high) - 9)
        high = math.floor(high) if high is not None else low + 99
        factor = schema.get("multipleOf", 1)
        return int(self._random.randint(low, min(high, low + 10**9)) // factor * factor) if factor >= 1 else low

    def _text(self, schema: Schema, ascii_only: bool) -> str:
        if schema.get("format") in _FORMATS:
            return _FORMATS[schema["format"]]
        fewest, most = schema.get("minLength", 1), schema.get("maxLength", 10**6)
        texts = _PATTERNED if "pattern" in schema else _ASCII if ascii_only else _TEXTS
        text = self._random.choice(texts)
        return (text * math.ceil(fewest / len(text)) if len(text) < fewest else text)[:most].strip() or "x"


def _joined(one: Schema, other: Schema) -> Schema:
    """Both at once; properties and requirements of both hold."""
    merged = {**one, **other}
    for key in ("properties", "$defs"):
        if key in one and key in other:
            merged[key] = {**one[key], **other[key]}
    if "required" in one and "required" in other:
        merged["required"] = list(dict.fromkeys([*one["required"], *other["required"]]))
    if "allOf" in one and "allOf" in other:
        merged["allOf"] = [*one["allOf"], *other["allOf"]]
    return merged
