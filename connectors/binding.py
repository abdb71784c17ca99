"""How a tool's arguments become an HTTP request: plain values, written by the catalog readers, read by execution.

A binding is stored with its tool as JSON. Argument names are those of the tool's input schema; wire names are what the
upstream expects. The two differ only where one request uses a name twice (`id` in the path and in the body).
"""

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Self


class Location(StrEnum):
    """Where a parameter travels (OpenAPI's `in`)."""

    PATH = "path"
    QUERY = "query"
    HEADER = "header"
    COOKIE = "cookie"


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter outside the body.

    `style` and `explode` are OpenAPI's words for how arrays and objects are written; `media_type` is set instead where
    the document gives the parameter a `content` (the value then travels as that type, in practice JSON).
    """

    argument: str
    name: str
    location: Location
    style: str
    explode: bool
    allow_reserved: bool = False
    media_type: str = ""


@dataclass(frozen=True, kw_only=True)
class Encoding:
    """How a form writes the property of this wire name, where the document says so (OpenAPI's encoding object).

    `style` is empty where the property travels as its media type. `media_type` may be several, with commas between
    them, and ranges: `image/png, image/*`. `headers` go with the property's part of a multipart form.
    """

    name: str
    media_type: str = ""
    style: str = ""
    explode: bool = False
    allow_reserved: bool = False
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Body:
    """The request body: either one argument is the whole of it, or each of its properties is an argument.

    Where the whole is a file, `media_type` may be several and ranges, as an encoding's.
    """

    media_type: str
    required: bool
    argument: str = ""
    properties: tuple[tuple[str, str], ...] = ()
    """Pairs of argument and wire name, where `argument` is empty."""
    files: tuple[str, ...] = ()
    """The arguments whose value is the id of a stored file, or a list of ids."""
    encodings: tuple[Encoding, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Binding:
    """One operation of an HTTP API. `path` is the template below the connector's base URL: `/pages/{page_id}`."""

    method: str
    path: str
    parameters: tuple[Parameter, ...] = ()
    body: Body | None = None
    headers: tuple[tuple[str, str], ...] = ()
    """Headers that every call sends with a fixed value, such as a vendor's version header."""
    base_url: str = ""
    """Set only where this operation has a server of its own; else the connector's base URL holds."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The inverse of `to_json`, also after a round trip through a JSON column. Raises KeyError, TypeError."""
        body = data["body"]
        return cls(
            method=data["method"],
            path=data["path"],
            parameters=tuple(
                Parameter(**{**item, "location": Location(item["location"])}) for item in data["parameters"]
            ),
            body=_body(body) if body else None,
            headers=_pairs(data["headers"]),
            base_url=data["base_url"],
        )


def _body(data: dict[str, Any]) -> Body:
    """Bodies that were stored before there were files and encodings have neither."""
    return Body(
        **{
            **data,
            "properties": _pairs(data["properties"]),
            "files": tuple(data.get("files", ())),
            "encodings": tuple(
                Encoding(**{**item, "headers": _pairs(item["headers"])}) for item in data.get("encodings", ())
            ),
        }
    )


def _pairs(items: list[list[str]] | tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return tuple((first, second) for first, second in items)
