"""Writes the body of a request: JSON, forms of both kinds, text, and stored files."""

import json
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import unquote

from accesscontrol.exceptions import InvalidArguments, Problem
from connectors.binding import Body, Encoding
from connectors.execution import multipart, styles
from connectors.execution.errors import UnsupportedMediaType, UnusableTool
from connectors.execution.headers import RESERVED_HEADERS, is_field_value, is_token
from connectors.execution.multipart import MULTIPART, Part
from connectors.execution.outgoing_file import OpenFile, OutgoingFile
from connectors.execution.problems import pointer
from connectors.execution.styles import Pair

FORM = "application/x-www-form-urlencoded"
_BYTES = "application/octet-stream"
_TEXT = re.compile(r"text/.+|application/(.+\+)?(xml|yaml|x-yaml|ndjson|x-ndjson|graphql)")
_MEDIA_TYPE = re.compile(r"[!#$&^_.+0-9A-Za-z-]+/[!#$&^_.+0-9A-Za-z-]+(\s*;.*)?")
_NOT_A_PART_S = RESERVED_HEADERS | {"content-disposition"}


def write_body(body: Body | None, arguments: Mapping[str, Any], open_file: OpenFile) -> tuple[bytes | None, str]:
    """The content, None where there is no body, and its media type.

    Raises InvalidArguments, UnsupportedMediaType, UnusableTool, and what `open_file` raises.
    """
    if body is None:
        return None, ""
    if body.argument:
        return _write_whole(body, arguments, open_file)
    values = {
        wire: _opened(argument, arguments[argument], open_file) if argument in body.files else arguments[argument]
        for argument, wire in body.properties
        if argument in arguments
    }
    if not values and not body.required:
        return None, ""
    return _serialized(body, values)


def _write_whole(body: Body, arguments: Mapping[str, Any], open_file: OpenFile) -> tuple[bytes | None, str]:
    if body.argument not in arguments:
        if body.required:
            raise InvalidArguments([Problem(pointer([body.argument]), "is required")])
        return None, ""
    value = arguments[body.argument]
    if body.argument not in body.files:
        return _serialized(body, value)
    opened = _opened(body.argument, value, open_file)
    if not isinstance(opened, OutgoingFile):
        raise InvalidArguments([Problem(pointer([body.argument]), "must be the id of one stored file")])
    return opened.content, _type_of(opened, body.media_type)


def _opened(argument: str, value: Any, open_file: OpenFile) -> Any:
    """The file of an id, the files of a list of ids. Null stays: an optional file that is not sent."""
    match value:
        case None:
            return None
        case str():
            return open_file(value)
        case list() if all(isinstance(item, str) for item in value):
            return [open_file(item) for item in value]
    raise InvalidArguments([Problem(pointer([argument]), "must be the id of a stored file")])


def _serialized(body: Body, value: Any) -> tuple[bytes, str]:
    media_type = "application/json" if body.media_type in ("", "*/*", "application/*") else body.media_type
    essence = _essence(media_type)
    if _is_json(essence):
        return _json(value).encode(), media_type
    if essence in (FORM, MULTIPART) and isinstance(value, dict):
        encodings = {encoding.name: encoding for encoding in body.encodings}
        fields = [(name, item, encodings.get(name)) for name, item in value.items()]
        _refuse_what_sets_others(fields)
        if essence == MULTIPART:
            return multipart.encode(part for field in fields for part in _parts(*field))
        pairs = [f"{name}={text}" for field in fields for name, text in _pairs(*field)]
        return "&".join(pairs).encode("ascii"), media_type
    if isinstance(value, str) and _TEXT.fullmatch(essence):
        return value.encode(), media_type
    raise UnsupportedMediaType(essence)


def _pairs(name: str, value: Any, encoding: Encoding | None) -> list[Pair]:
    """A field of an urlencoded form: a style that is named wins over a media type (OpenAPI, "Encoding Object")."""
    if encoding is None:
        return styles.form_pairs(name, value)
    if encoding.style:
        return _styled(name, value, encoding)
    if value is not None and _is_json(_essence(encoding.media_type)):
        return [(styles.encode(name), styles.encode(_json(value)))]
    return styles.form_pairs(name, value)


def _refuse_what_sets_others(fields: list[tuple[str, Any, Encoding | None]]) -> None:
    names = [name for name, _, _ in fields]
    for name, value, encoding in fields:
        styled = _styled(name, value, encoding) if encoding and encoding.style else []
        if taken := styles.set_besides(name, styled, names):
            raise InvalidArguments([Problem(pointer([name]), f"must not hold {taken}, which is set apart from it")])


def _styled(name: str, value: Any, encoding: Encoding) -> list[Pair]:
    """OpenAPI has the style form write nothing that nests; servers that read forms read the brackets then."""
    if encoding.style == "form" and styles.nests(value):
        return styles.form_pairs(name, value)
    write = styles.encode_reserved if encoding.allow_reserved else styles.encode
    return styles.query_pairs(name, value, style=encoding.style, explode=encoding.explode, write=write)


def _parts(name: str, value: Any, encoding: Encoding | None) -> Iterator[Part]:
    """A field of a multipart form: each item of a list is a part of its own, an object is one of JSON."""
    encoding = encoding or Encoding(name=name)
    headers = _part_headers(encoding)
    if value is None:
        return
    if encoding.style:
        for key, text in _styled(name, value, encoding):
            yield Part(name=unquote(key), content=unquote(text).encode(), headers=headers)
        return
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, OutgoingFile):
            kind = _type_of(item, encoding.media_type)
            yield Part(name=name, content=item.content, filename=item.name, media_type=kind, headers=headers)
        else:
            kind, text = _part_text(item, encoding.media_type)
            yield Part(name=name, content=text.encode(), media_type=kind, headers=headers)


def _part_text(value: Any, offered: str) -> tuple[str, str]:
    """The media type, none for plain text, and the text of one value that is no file."""
    named = next((it.strip() for it in offered.split(",") if "*" not in it), "")
    kind = named or ("application/json" if isinstance(value, dict | list) else "")
    if _is_json(_essence(kind)):
        return kind, _json(value)
    if isinstance(value, dict | list):
        raise UnsupportedMediaType(_essence(kind))
    return kind, styles.text(value)


def _part_headers(encoding: Encoding) -> tuple[Pair, ...]:
    headers = tuple((name, value) for name, value in encoding.headers if name.lower() not in _NOT_A_PART_S)
    if not all(is_token(name) and is_field_value(value) for name, value in headers):
        raise UnusableTool("it sets a header that HTTP does not allow")
    if not is_field_value(encoding.media_type):
        raise UnusableTool("it names a media type that HTTP does not allow")
    return headers


def _type_of(file: OutgoingFile, offered: str) -> str:
    """The file's own media type where the document admits it, else the first that the document names."""
    own = file.media_type if _MEDIA_TYPE.fullmatch(file.media_type) and is_field_value(file.media_type) else _BYTES
    choices = [it.strip() for it in offered.split(",") if it.strip()]
    if any(fnmatchcase(_essence(own), _essence(it)) for it in choices):
        return own
    return next((it for it in choices if "*" not in it), own)


def _is_json(essence: str) -> bool:
    return essence in ("application/json", "text/json") or essence.endswith("+json")


def _essence(media_type: str) -> str:
    return media_type.partition(";")[0].strip().lower()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
