"""The request body of an operation: which media type is sent, and whether its properties can be arguments."""

from dataclasses import dataclass
from typing import Any

from connectors.binding import Encoding
from connectors.catalog.openapi.encodings import EncodingReader
from connectors.catalog.openapi.files import FileReader, file_id, is_file
from connectors.catalog.openapi.keywords import types_of
from connectors.catalog.openapi.media_types import JSON, MULTIPART, essence, is_form, is_json, is_text, preference
from connectors.catalog.openapi.parameters import described
from connectors.catalog.openapi.references import Document
from connectors.catalog.openapi.schemas import Schema, Schemas, names_in

_BEYOND_AN_OBJECT = ("not", "if", "items", "patternProperties", "propertyNames", "enum", "const")


class UnreadableBodyError(Exception):
    """The request body cannot be made sense of; the message says why, for people."""


@dataclass(frozen=True, kw_only=True)
class BodyProperty:
    name: str
    schema: Schema
    required: bool
    is_file: bool = False


@dataclass(frozen=True, kw_only=True)
class RequestBody:
    """Either `properties` are the arguments, or `whole` describes the one argument that is the body."""

    media_type: str
    required: bool
    whole: Schema | None = None
    is_file: bool = False
    """Of the whole: a stored file, which may be of any of the media types in `media_type`, between commas."""
    properties: tuple[BodyProperty, ...] = ()
    encodings: tuple[Encoding, ...] = ()


@dataclass(frozen=True)
class _PlainObject:
    """The properties of an object schema, and of all it is made of."""

    properties: dict[str, Any]
    required: tuple[str, ...]


class BodyReader:
    def __init__(self, document: Document, schemas: Schemas) -> None:
        self._document = document
        self._schemas = schemas
        self._files = FileReader(document)
        self._encodings = EncodingReader(document)
        self._plain: dict[tuple[int, bool], _PlainObject | None] = {}

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
        offered = {name: _mapping(media) for name, media in content.items() if "/" in name}
        if not offered:
            raise UnreadableBodyError(f"its request body has no media type but {next(iter(content))!r}")
        media_type = self._chosen(offered)
        return self._describe(media_type, offered, node)

    def _chosen(self, offered: dict[str, dict[str, Any]]) -> str:
        """What JSON would have to hold a file's bytes for goes as a form, and no form is what names no fields."""
        chosen = min(
            (it for it, media in offered.items() if not is_form(it) or self._names_fields(media.get("schema", {}))),
            key=preference,
            default="",
        )
        if not chosen:
            raise UnreadableBodyError("its request body is a form that names no fields")
        forms = [it for it, media in offered.items() if essence(it) == MULTIPART and self._holds_files(media)]
        return forms[0] if forms and is_json(chosen) and self._holds_files(offered[chosen]) else chosen

    def _names_fields(self, schema: Any) -> bool:
        node = self._document.follow_or_none(schema)
        types = types_of(node.get("type")) if isinstance(node, dict) else []
        return not types or "object" in types

    def _holds_files(self, media: dict[str, Any]) -> bool:
        plain = self._plain_object(media.get("schema"), is_open=True)
        return plain is not None and any(self._files.read(node) for node in plain.properties.values())

    def _describe(self, media_type: str, offered: dict[str, dict[str, Any]], node: dict[str, Any]) -> RequestBody:
        media, required = offered[media_type], node.get("required") is True
        schema = media.get("schema", {})
        marked = is_file(self._document.follow_or_none(schema))
        kind = _sent_as(media_type, has_schema=bool(schema) and not marked)
        if is_form(kind):
            return self._form(kind, media, node)
        if is_json(kind):
            return self._structured(kind, schema, node)
        if is_text(kind) and not marked:
            text = described(_as_text(kind), node.get("description"))
            return RequestBody(media_type=kind, required=required, whole=text)
        kinds = [essence(it) for it in offered if not (is_json(it) or is_form(it) or (is_text(it) and not marked))]
        whole = file_id(node.get("description"))
        return RequestBody(media_type=", ".join(kinds) or kind, required=required, whole=whole, is_file=True)

    def _structured(self, kind: str, schema: Any, node: dict[str, Any]) -> RequestBody:
        required = node.get("required") is True
        plain = self._plain_object(schema)
        if plain is None or not plain.properties:
            whole = described(self._schemas.translate(schema), node.get("description"))
            return RequestBody(media_type=kind, required=required, whole=whole)
        return RequestBody(media_type=kind, required=required, properties=self._properties(plain))

    def _form(self, kind: str, media: dict[str, Any], node: dict[str, Any]) -> RequestBody:
        """As what JSON would hold; but where there can be files, fields that are named are all that is sent."""
        schema, required = media.get("schema", {}), node.get("required") is True
        plain = self._plain_object(schema, is_open=kind == MULTIPART)
        if plain is None or not plain.properties:
            whole = described({"type": "object", **self._schemas.translate(schema)}, node.get("description"))
            return RequestBody(media_type=kind, required=required, whole=whole)
        encodings = self._encodings.read(media, kind, plain.properties)
        kinds = {it.name: it.media_type for it in encodings if not it.style}
        properties = self._properties(plain)
        if kind == MULTIPART:
            properties = tuple(self._part(it, plain.properties[it.name], kinds.get(it.name, "")) for it in properties)
        return RequestBody(media_type=kind, required=required, properties=properties, encodings=encodings)

    def _part(self, item: BodyProperty, node: Any, media_types: str) -> BodyProperty:
        """A part that holds a file, or text of a kind that only its caller can write (XML, where it is an object)."""
        if (schema := self._files.read(node, media_types)) is not None:
            return BodyProperty(name=item.name, schema=schema, required=item.required, is_file=True)
        if media_types and not is_json(media_types) and is_text(media_types) and _is_container(item.schema):
            text = {"type": "string", "description": f"The part's text, as {essence(media_types)}."}
            return BodyProperty(name=item.name, schema=text, required=item.required)
        return item

    def _properties(self, plain: _PlainObject) -> tuple[BodyProperty, ...]:
        return tuple(
            BodyProperty(name=name, schema=self._schemas.translate(node), required=name in plain.required)
            for name, node in plain.properties.items()
            if not self._schemas.is_read_only(node)
        )

    def _plain_object(self, node: Any, *, is_open: bool = False) -> _PlainObject | None:
        """The object that a schema describes by named properties alone, itself or as parts of an `allOf`.

        None for everything else: a list, a choice, and, unless it may be `is_open`, an object that also takes
        names it does not tell. Worked out once for each schema, which also ends the search where one is a part
        of itself.
        """
        node = self._document.follow_or_none(node)
        if not isinstance(node, dict) or not _is_object(node, is_open=is_open):
            return None
        key = id(node), is_open
        if key not in self._plain:
            self._plain[key] = None
            self._plain[key] = self._joined(node, is_open=is_open)
        return self._plain[key]

    def _joined(self, node: dict[str, Any], *, is_open: bool) -> _PlainObject | None:
        properties: dict[str, Any] = {}
        required: dict[str, None] = {}
        for part in _parts(node) or []:
            plain = self._plain_object(part, is_open=is_open)
            if plain is None:
                return None
            properties |= plain.properties
            required |= dict.fromkeys(plain.required)
        required |= dict.fromkeys(names_in(node.get("required")))
        return _PlainObject(properties | node.get("properties", {}), tuple(required))


def _is_object(node: dict[str, Any], *, is_open: bool) -> bool:
    types = types_of(node.get("type"))
    return (
        (not types or "object" in types)
        and not any(key in node for key in _BEYOND_AN_OBJECT)
        and (is_open or node.get("additionalProperties", False) is False)
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


def _sent_as(media_type: str, *, has_schema: bool) -> str:
    """The kind of body that a media type means: a range is JSON if it has a schema, and else a file."""
    kind = essence(media_type)
    if kind in ("*/*", "application/*"):
        return JSON if has_schema else kind
    return "text/plain" if kind == "text/*" else kind


def _as_text(kind: str) -> Schema:
    return {"type": "string", "description": f"The request body, as {kind}."}


def _is_container(schema: Schema) -> bool:
    return "$ref" in schema or bool({"object", "array"} & set(types_of(schema.get("type"))))


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
