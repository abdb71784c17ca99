"""The request body of an operation: which media type is sent, and whether its properties can be arguments."""

from dataclasses import dataclass
from typing import Any

from connectors.catalog.openapi.keywords import types_of
from connectors.catalog.openapi.parameters import described
from connectors.catalog.openapi.references import Document
from connectors.catalog.openapi.schemas import Schema, Schemas, names_in

_STRUCTURED = ("application/x-www-form-urlencoded", "multipart/form-data")
_BEYOND_AN_OBJECT = ("not", "if", "items", "patternProperties", "propertyNames", "enum", "const")


class UnreadableBodyError(Exception):
    """The request body cannot be made sense of; the message says why, for people."""


@dataclass(frozen=True, kw_only=True)
class BodyProperty:
    name: str
    schema: Schema
    required: bool


@dataclass(frozen=True, kw_only=True)
class RequestBody:
    """Either `properties` are the arguments, or `whole` describes the one argument that is the body."""

    media_type: str
    required: bool
    whole: Schema | None = None
    properties: tuple[BodyProperty, ...] = ()


@dataclass(frozen=True)
class _PlainObject:
    """The properties of an object schema, and of all it is made of."""

    properties: dict[str, Any]
    required: tuple[str, ...]


class BodyReader:
    def __init__(self, document: Document, schemas: Schemas) -> None:
        self._document = document
        self._schemas = schemas
        self._plain: dict[int, _PlainObject | None] = {}

    def read(self, operation: dict[str, Any]) -> RequestBody | None:
        """None where the operation has no body. Raises UnreadableBodyError, DanglingReferenceError."""
        node = self._document.follow(operation.get("requestBody"))
        if node is None:
            return None
        content = node.get("content") if isinstance(node, dict) else None
        if not isinstance(content, dict):
            raise UnreadableBodyError("its request body has no content")
        if not content:
            return None
        media_type = min(content, key=_preference)
        if "/" not in media_type:
            raise UnreadableBodyError(f"its request body has no media type but {media_type!r}")
        media = content[media_type]
        schema = media.get("schema", {}) if isinstance(media, dict) else {}
        return self._describe(sent_as(media_type, schema), schema, node)

    def _describe(self, media_type: str, schema: Any, node: dict[str, Any]) -> RequestBody:
        required = node.get("required") is True
        if not is_json(media_type) and media_type not in _STRUCTURED:
            whole = described(_as_text(media_type), node.get("description"))
            return RequestBody(media_type=media_type, required=required, whole=whole)
        plain = self._plain_object(schema)
        if plain is None or not plain.properties:
            whole = described(self._schemas.translate(schema), node.get("description"))
            return RequestBody(media_type=media_type, required=required, whole=whole)
        return RequestBody(media_type=media_type, required=required, properties=self._properties(plain))

    def _properties(self, plain: _PlainObject) -> tuple[BodyProperty, ...]:
        return tuple(
            BodyProperty(name=name, schema=self._schemas.translate(node), required=name in plain.required)
            for name, node in plain.properties.items()
            if not self._schemas.is_read_only(node)
        )

    def _plain_object(self, node: Any) -> _PlainObject | None:
        """The object that a schema describes by named properties alone, itself or as parts of an `allOf`.

        None for everything else: a list, a choice, and an object that also takes names it does not tell.
        Worked out once for each schema, which also ends the search where one is a part of itself.
        """
        node = self._document.follow_or_none(node)
        if not isinstance(node, dict) or not _is_object(node):
            return None
        if id(node) not in self._plain:
            self._plain[id(node)] = None
            self._plain[id(node)] = self._joined(node)
        return self._plain[id(node)]

    def _joined(self, node: dict[str, Any]) -> _PlainObject | None:
        properties: dict[str, Any] = {}
        required: dict[str, None] = {}
        for part in _parts(node) or []:
            plain = self._plain_object(part)
            if plain is None:
                return None
            properties |= plain.properties
            required |= dict.fromkeys(plain.required)
        required |= dict.fromkeys(names_in(node.get("required")))
        return _PlainObject(properties | node.get("properties", {}), tuple(required))


def _is_object(node: dict[str, Any]) -> bool:
    types = types_of(node.get("type"))
    return (
        (not types or "object" in types)
        and not any(key in node for key in _BEYOND_AN_OBJECT)
        and node.get("additionalProperties", False) is False
        and isinstance(node.get("properties", {}), dict)
        and _parts(node) is not None
    )


def _parts(node: dict[str, Any]) -> list[Any] | None:
    """The schemas that an object is made of, all at once; None where it offers a choice among several."""
    parts: list[Any] = []
    for key in ("allOf", "anyOf", "oneOf"):
        members = node.get(key, [])
        if not isinstance(members, list) or (len(members) > 1 and key != "allOf"):
            return None
        parts += members
    return parts


def is_json(media_type: str) -> bool:
    kind = essence(media_type)
    return kind.endswith(("/json", "+json"))


def essence(media_type: str) -> str:
    """A media type without its parameters, in lower case."""
    return media_type.partition(";")[0].strip().lower()


def sent_as(media_type: str, schema: Any) -> str:
    """The type to send for one that the document names; a range such as `*/*` is JSON if it has a schema."""
    if "*" in media_type:
        return "application/json" if schema else "application/octet-stream"
    return essence(media_type)


def _preference(media_type: str) -> int:
    kind = essence(media_type)
    order = [
        kind == "application/json",
        is_json(kind),
        kind in _STRUCTURED,
        kind.startswith("text/"),
        "*" not in kind,
    ]
    return order.index(True) if True in order else len(order)


def _as_text(media_type: str) -> Schema:
    """A body with no structure of its own: its text, or the bytes of a file."""
    kind = essence(media_type)
    if kind.startswith("text/") or kind.endswith(("xml", "yaml", "ndjson", "graphql")):
        return {"type": "string", "description": f"The request body, as {kind}."}
    return {"type": "string", "format": "binary", "description": f"The file's content, as {kind}."}
