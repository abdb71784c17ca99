"""The parameters of an operation: inherited, overridden, and sorted into arguments and fixed headers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from connectors.binding import Location
from connectors.catalog.openapi.keywords import MAX_DESCRIPTION
from connectors.catalog.openapi.references import Document
from connectors.catalog.openapi.schemas import Schema, Schemas
from connectors.catalog.text import plain_text
from connectors.execution.headers import RESERVED_HEADERS

_DEFAULT_STYLE = {
    Location.PATH: "simple",
    Location.QUERY: "form",
    Location.HEADER: "simple",
    Location.COOKIE: "form",
}
_STYLES = frozenset({"matrix", "label", "simple", "form", "spaceDelimited", "pipeDelimited", "deepObject"})
_PLACEHOLDER = re.compile(r"\{([^{}/]+)\}")


@dataclass(frozen=True, kw_only=True)
class ParameterInput:
    """One parameter that a caller gives a value, under its wire name."""

    name: str
    location: Location
    schema: Schema
    required: bool
    style: str
    explode: bool
    allow_reserved: bool
    media_type: str


@dataclass(frozen=True, kw_only=True)
class Parameters:
    inputs: tuple[ParameterInput, ...]
    headers: tuple[tuple[str, str], ...]
    """Headers with the one value they can have."""


type Secrets = frozenset[tuple[str, str]]
"""Location and lower-case name of parameters that carry a credential: an account's, never an argument."""


class ParameterReader:
    def __init__(self, document: Document, schemas: Schemas, secrets: Secrets) -> None:
        self._document = document
        self._schemas = schemas
        self._secrets = secrets

    def read(self, path: str, path_item: dict[str, Any], operation: dict[str, Any]) -> Parameters:
        """An operation's parameters override its path's by name and location."""
        found = {
            (location, node["name"]): node
            for owner in (path_item, operation)
            for location, node in self._declared(owner.get("parameters"))
        }
        headers, inputs = [], []
        placeholders = list(dict.fromkeys(_PLACEHOLDER.findall(path)))
        for (location, name), node in found.items():
            value = self._fixed_value(location, name, node)
            if value is not None:
                headers.append((name, value))
            elif (location, name.lower()) == (Location.HEADER, "accept"):
                continue  # By the specification it says nothing; what answers are read is for execution to say.
            elif location is not Location.PATH or name in placeholders:
                inputs.append(self._input(location, name, node))
        missing = [name for name in placeholders if (Location.PATH, name) not in found]
        inputs += [self._input(Location.PATH, name, {}) for name in missing]
        return Parameters(inputs=tuple(inputs), headers=tuple(headers))

    def _declared(self, nodes: Any) -> Iterator[tuple[Location, dict[str, Any]]]:
        for node in nodes if isinstance(nodes, list) else ():
            parameter = self._document.follow_or_none(node)
            if not isinstance(parameter, dict) or not isinstance(parameter.get("name"), str):
                continue
            location = parameter.get("in")
            if location in Location and not self._is_ours(str(location), parameter["name"].lower()):
                yield Location(str(location)), parameter

    def _is_ours(self, location: str, name: str) -> bool:
        return (location, name) in self._secrets or (location == "header" and name in RESERVED_HEADERS)

    def _fixed_value(self, location: Location, name: str, node: dict[str, Any]) -> str | None:
        """A vendor's version header has one right value, which no caller should have to know, and so may Accept."""
        is_accept = name.lower() == "accept"
        if location is not Location.HEADER or not (is_accept or "version" in name.lower()):
            return None
        schema = self._document.follow_or_none(node.get("schema"))
        if not isinstance(schema, dict):
            return None
        choices = schema.get("enum")
        only = choices[0] if isinstance(choices, list) and len(choices) == 1 else None
        usual = None if is_accept else schema.get("default")
        value = next((it for it in (schema.get("const"), only, usual) if it is not None), None)
        return str(value) if isinstance(value, str | int | float) else None

    def _input(self, location: Location, name: str, node: dict[str, Any]) -> ParameterInput:
        media_type, schema = self._described(node)
        style = str(node.get("style"))
        style = style if style in _STYLES else _DEFAULT_STYLE[location]
        explode = node.get("explode")
        return ParameterInput(
            name=name,
            location=location,
            schema=schema,
            required=location is Location.PATH or node.get("required") is True,
            style=style,
            explode=explode if isinstance(explode, bool) else style == "form",
            allow_reserved=node.get("allowReserved") is True,
            media_type=media_type,
        )

    def _described(self, node: dict[str, Any]) -> tuple[str, Schema]:
        """The media type of a parameter with `content`, else none; and its schema under its description."""
        content = node.get("content")
        media_type, schema = "", node.get("schema", {"type": "string"})
        if "schema" not in node and isinstance(content, dict) and content:
            media_type, media = next(iter(content.items()))
            schema = media.get("schema", {}) if isinstance(media, dict) else {}
        return media_type, described(self._schemas.translate(schema), node.get("description"))


def described(schema: Schema, description: Any) -> Schema:
    """The schema with this description, where there is one, before its own."""
    text = plain_text(description, MAX_DESCRIPTION) if isinstance(description, str) else ""
    return {**schema, "description": text} if text else schema
