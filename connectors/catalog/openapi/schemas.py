"""OpenAPI schemas as JSON Schema 2020-12 for a tool's input, each with the definitions it reaches.

References stay references: a recursive schema stays recursive, and a document whose schemas refer to each
other a thousand times is never written out. What only responses hold (`readOnly`) and what JSON Schema does
not know is left out.
"""

import re
from hashlib import sha256
from typing import Any

from connectors.catalog.openapi.keywords import is_nullable, is_pattern, plain_keywords
from connectors.catalog.openapi.references import DanglingReferenceError, Document, reference_of

type Schema = dict[str, Any]

_ONE = ("items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else")
_UNEVALUATED = ("unevaluatedProperties", "unevaluatedItems")
_MAPS = ("properties", "patternProperties", "dependentSchemas")
_PREFIX = "#/$defs/"


class Schemas:
    """Translates schemas of one document; each definition once, however many tools reach it."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._sources: dict[str, Any] = {}
        self._definitions: dict[str, Schema] = {}
        self._reached: dict[str, frozenset[str]] = {}

    def translate(self, node: Any) -> Schema:
        """A schema with `$ref`s into `#/$defs`, which `with_definitions` completes. Nonsense admits all."""
        if node is False:
            return {"not": {}}
        if not isinstance(node, dict):
            return {}
        reference = reference_of(node)
        return self._mapping(node) if reference is None else self._referring(reference, node)

    def with_definitions(self, schema: Schema) -> Schema:
        """The schema with every definition it reaches, in the order of their names."""
        names = self._closure(schema)
        if not names:
            return schema
        return {**schema, "$defs": {name: self._definition(name) for name in sorted(names)}}

    def is_read_only(self, node: Any) -> bool:
        """Whether only responses hold this property: marked where it stands or where its reference leads."""
        if not isinstance(node, dict):
            return False
        if node.get("readOnly") is True:
            return True
        target = self._document.follow_or_none(node)
        return isinstance(target, dict) and target.get("readOnly") is True

    def _referring(self, reference: str, node: Schema) -> Schema:
        """OpenAPI 3.0 ignores what is beside a `$ref`; a description and `nullable` are meant."""
        beside = {key: value for key, value in node.items() if key != "$ref"}
        if self._document.is_3_0:
            beside = {key: value for key, value in beside.items() if key == "description"}
        target = self._reference(reference)
        if is_nullable(node) and target:
            target = {"anyOf": [target, {"type": "null"}]}
        return _merged(self._mapping(beside), target)

    def _reference(self, reference: str) -> Schema:
        try:
            path, target = self._document.target(reference)
        except DanglingReferenceError as error:
            self._document.dangling[error.reference] = None
            return {}
        name = _definition_name(path)
        self._sources[name] = target
        return {"$ref": _PREFIX + name}

    def _mapping(self, node: Schema) -> Schema:
        schema = plain_keywords(node)
        for key in _ONE + _UNEVALUATED:
            if isinstance(node.get(key), dict | bool):
                schema[key] = node[key] if isinstance(node[key], bool) else self.translate(node[key])
        self._translate_lists(node, schema)
        for key in _MAPS:
            if isinstance(node.get(key), dict):
                schema[key] = self._members(key, node[key])
        self._translate_required(node, schema)
        self._translate_alternatives(node, schema)
        return schema

    def _translate_lists(self, node: Schema, schema: Schema) -> None:
        """A list of item schemas is a tuple, which drafts before 2020-12 wrote as `items`."""
        for key, keyword in (("prefixItems", "prefixItems"), ("items", "prefixItems")):
            if isinstance(node.get(key), list) and node[key]:
                schema[keyword] = [self.translate(item) for item in node[key]]

    def _members(self, key: str, members: dict[str, Any]) -> dict[str, Schema]:
        return {
            name: self.translate(member)
            for name, member in members.items()
            if (is_pattern(name) if key == "patternProperties" else not self.is_read_only(member))
        }

    def _translate_required(self, node: Schema, schema: Schema) -> None:
        """Draft 4's `required: true` of a single property means nothing in a schema of its own."""
        declared = node.get("properties") if isinstance(node.get("properties"), dict) else {}
        dropped = set(declared or ()) - set(schema.get("properties", ()))
        required = [name for name in names_in(node.get("required")) if name not in dropped]
        if required:
            schema["required"] = required

    def _translate_alternatives(self, node: Schema, schema: Schema) -> None:
        """`oneOf` becomes `anyOf`.

        Alternatives of real documents overlap, more so once what only responses hold is gone, and vendors
        tell them apart by a discriminator. Refusing what the upstream accepts would be worse than passing
        on what it refuses.
        """
        nullable = is_nullable(node)
        choices = [choice for key in ("anyOf", "oneOf") if (choice := self._alternatives(node, key))]
        parts = self._alternatives(node, "allOf") + [it[0] for it in choices if len(it) == 1]
        found = [it for it in choices if len(it) > 1]
        parts += [{"anyOf": choice} for choice in found[1:]]
        if found:
            schema["anyOf"] = [*found[0], {"type": "null"}] if nullable else found[0]
        combined: Schema = {"allOf": parts} if parts else {}
        if len(parts) == 1 and not set(parts[0]) & set(schema):
            combined = parts[0]
        if combined and nullable and not {"type", "anyOf"} & set(schema):
            combined = {"anyOf": [combined, {"type": "null"}]}
        schema.update(combined)

    def _alternatives(self, node: Schema, key: str) -> list[Schema]:
        members = node.get(key)
        return [self.translate(member) for member in members] if isinstance(members, list) else []

    def _definition(self, name: str) -> Schema:
        if name not in self._definitions:
            self._definitions[name] = self.translate(self._sources[name])
        return self._definitions[name]

    def _closure(self, schema: Schema) -> set[str]:
        waiting = [name for name in _names_referred_to(schema) if name in self._sources]
        found: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self._reached_from(name)
        return found

    def _reached_from(self, name: str) -> frozenset[str]:
        if name not in self._reached:
            names = _names_referred_to(self._definition(name))
            self._reached[name] = frozenset(found for found in names if found in self._sources)
        return self._reached[name]


def names_in(value: Any) -> list[str]:
    """The strings of a list, each once; what is not a list holds none."""
    return list(dict.fromkeys(item for item in value if isinstance(item, str))) if isinstance(value, list) else []


def _merged(beside: Schema, target: Schema) -> Schema:
    """Both schemas at once; as `allOf` where they use the same keyword."""
    if set(beside) & set(target):
        return {"allOf": [beside, target]}
    return {**target, **beside}


def _names_referred_to(schema: Schema) -> set[str]:
    found: set[str] = set()
    waiting: list[Any] = [schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            reference = reference_of(value) or ""
            if reference.startswith(_PREFIX):
                found.add(reference.removeprefix(_PREFIX))
            waiting += value.values()
    return found


def _definition_name(path: tuple[str, ...]) -> str:
    """`Page` for `#/components/schemas/Page`; any other place adds a hash of its pointer."""
    if path[:2] == ("components", "schemas") and len(path) == 3 and re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", path[2]):
        return path[2]
    readable = re.sub(r"[^A-Za-z0-9]+", "_", path[2] if path[:2] == ("components", "schemas") else path[-1])
    return f"{readable[:40]}-{sha256('/'.join(path).encode()).hexdigest()[:8]}"
