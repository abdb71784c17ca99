"""How the properties of a form are written, where the document says so (OpenAPI, "Encoding Object")."""

from collections.abc import Iterable, Iterator
from typing import Any

from connectors.binding import Encoding
from connectors.catalog.openapi.media_types import FORM
from connectors.catalog.openapi.references import Document

_STYLES = ("form", "spaceDelimited", "pipeDelimited", "deepObject")
_STYLING = ("style", "explode", "allowReserved")


class EncodingReader:
    def __init__(self, document: Document) -> None:
        self._document = document

    def read(self, media: Any, kind: str, names: Iterable[str]) -> tuple[Encoding, ...]:
        """Of the properties of these names, those with an encoding that says something; `kind` is the form's type."""
        nodes = media.get("encoding") if isinstance(media, dict) else None
        found = ((name, nodes.get(name)) for name in names) if isinstance(nodes, dict) else ()
        encodings = [self._encoding(name, node, kind) for name, node in found if isinstance(node, dict)]
        return tuple(it for it in encodings if it != Encoding(name=it.name))

    def _encoding(self, name: str, node: dict[str, Any], kind: str) -> Encoding:
        media_type = node.get("contentType")
        plain = Encoding(name=name, media_type=media_type if isinstance(media_type, str) else "")
        # 3.0 has styles in urlencoded forms alone.
        if any(key in node for key in _STYLING) and (kind == FORM or not self._document.is_3_0):
            return _styled(plain, node)
        if kind == FORM:
            return plain
        return Encoding(name=name, media_type=plain.media_type, headers=tuple(self._headers(node.get("headers"))))

    def _headers(self, nodes: Any) -> Iterator[tuple[str, str]]:
        """Headers of a part with the one value they can have: a caller gives the property's value and no more."""
        for name, entry in nodes.items() if isinstance(nodes, dict) else ():
            header = self._document.follow_or_none(entry)
            schema = self._document.follow_or_none(header.get("schema")) if isinstance(header, dict) else None
            value = _only_value(schema) if isinstance(schema, dict) else None
            if name.lower() != "content-type" and isinstance(value, str | int | float):
                yield name, str(value)


def _styled(plain: Encoding, node: dict[str, Any]) -> Encoding:
    style = node.get("style") if node.get("style") in _STYLES else "form"
    explode = node.get("explode")
    return Encoding(
        name=plain.name,
        media_type=plain.media_type,
        style=str(style),
        explode=explode if isinstance(explode, bool) else style == "form",
        allow_reserved=node.get("allowReserved") is True,
    )


def _only_value(schema: dict[str, Any]) -> Any:
    choices = schema.get("enum")
    only = choices[0] if isinstance(choices, list) and len(choices) == 1 else None
    return next((it for it in (schema.get("const"), only, schema.get("default")) if it is not None), None)
