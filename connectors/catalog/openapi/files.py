"""Which schemas stand for a file's content, and what a caller gives instead: the id of a stored file."""

from typing import Any

from connectors.catalog.openapi.keywords import MAX_DESCRIPTION, types_of
from connectors.catalog.openapi.media_types import is_json, is_text
from connectors.catalog.openapi.references import Document
from connectors.catalog.openapi.schemas import Schema
from connectors.catalog.text import plain_text

FILE_ID = "The id of a stored file, from an earlier result or an upload."
_DEEPEST = 4
_KEPT_OF_A_LIST = ("minItems", "maxItems")


def file_id(description: Any = "") -> Schema:
    """The schema of an argument that names a file, which the document describes so."""
    text = plain_text(description, MAX_DESCRIPTION - len(FILE_ID) - 1) if isinstance(description, str) else ""
    return {"type": "string", "format": "uuid", "description": f"{text} {FILE_ID}".strip()}


def is_file(node: Any) -> bool:
    """Whether a schema, its reference followed, is that of plain bytes. Base64 in a text is none."""
    if not isinstance(node, dict) or "contentEncoding" in node or not _may_be_text(node):
        return False
    return node.get("type") == "file" or node.get("format") == "binary" or is_binary(node.get("contentMediaType"))


def is_binary(media_types: Any) -> bool:
    """Whether text can be none of these media types; false where none is named."""
    named = media_types.split(",") if isinstance(media_types, str) else []
    return any(named) and not any(is_json(it) or is_text(it) or "*/*" in it for it in named)


class FileReader:
    def __init__(self, document: Document) -> None:
        self._document = document

    def read(self, node: Any, media_types: Any = "", *, depth: int = 0) -> Schema | None:
        """What a caller gives for a file, several, or a choice of the two; None for any other schema.

        `media_types` are those that the document has the property travel as: they make an unmarked text a file.
        """
        node = self._document.follow_or_none(node)
        if not isinstance(node, dict) or depth > _DEEPEST:
            return None
        if is_file(node) or (is_binary(media_types) and _may_be_bytes(node)):
            return file_id(node.get("description"))
        if "items" in node and (item := self.read(node["items"], media_types, depth=depth + 1)):
            return {**_list(node), "items": item}
        return self._choice(node, media_types, depth)

    def _choice(self, node: Schema, media_types: Any, depth: int) -> Schema | None:
        """A choice or a sum of which every member is a file; null says no more than that it is optional."""
        members: list[Any] = next(
            (node[key] for key in ("anyOf", "oneOf", "allOf") if isinstance(node.get(key), list)), []
        )
        given = [it for it in members if not (isinstance(it, dict) and it.get("type") == "null")]
        read = [self.read(it, media_types, depth=depth + 1) for it in given]
        found = [it for it in read if it is not None]
        if not found or len(found) < len(read):
            return None
        schema = found[0] if len(found) == 1 or "allOf" in node else {"anyOf": found}
        return {**schema, **({"description": file_id(node["description"])["description"]} if _described(node) else {})}


def _may_be_bytes(node: Schema) -> bool:
    return (
        _may_be_text(node)
        and node.get("format") != "byte"
        and not {"contentEncoding", "properties", "items", "anyOf", "oneOf", "allOf", "enum"} & set(node)
    )


def _may_be_text(node: Schema) -> bool:
    return set(types_of(node.get("type"))) <= {"string", "null"}


def _list(node: Schema) -> Schema:
    kept = {key: node[key] for key in _KEPT_OF_A_LIST if isinstance(node.get(key), int)}
    description = plain_text(node["description"], MAX_DESCRIPTION) if _described(node) else ""
    return {"type": "array", **kept, **({"description": description} if description else {})}


def _described(node: Schema) -> bool:
    return isinstance(node.get("description"), str)
