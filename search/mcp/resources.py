"""Resources: what a client can read of ours, by address.

An address is fixed, or a template of RFC 6570's simplest kind, with one `{name}` for a path segment. What the caller
may not read does not exist for them.
"""

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from accesscontrol.caller import Caller
from accesscontrol.permissions import Permission, Scope
from search.mcp.completion import Completer, no_suggestions


class UnknownResource(Exception):
    """Nothing that the caller may read has this address."""


@dataclass(frozen=True, kw_only=True)
class Contents:
    """What a resource holds: text, or bytes. `meta` travels as `_meta`."""

    media_type: str
    text: str | None = None
    content: bytes = b""
    meta: Mapping[str, Any] = field(default_factory=dict)

    def at(self, uri: str) -> dict[str, Any]:
        body = {"text": self.text} if self.text is not None else {"blob": b64encode(self.content).decode()}
        return {"uri": uri, "mimeType": self.media_type, **body, **({"_meta": dict(self.meta)} if self.meta else {})}


def as_json(value: dict[str, Any]) -> Contents:
    return Contents(media_type="application/json", text=json.dumps(value, ensure_ascii=False, indent=1))


@dataclass(frozen=True, kw_only=True)
class Resource:
    """`read` gets the values of the template's names; it raises UnknownResource for what is not there or not theirs.

    One that is not `listed` is read by whoever has learned its address elsewhere.
    """

    uri: str
    name: str
    title: str
    description: str
    media_type: str
    read: Callable[[Caller, Mapping[str, str]], Contents]
    permission: Permission | None = None
    scope: Scope | None = None
    complete: Completer = no_suggestions
    listed: bool = True

    @property
    def is_template(self) -> bool:
        return "{" in self.uri

    def admits(self, caller: Caller) -> bool:
        permitted = self.permission is None or caller.may(self.permission)
        return permitted and (self.scope is None or self.scope in caller.scopes)

    def match(self, uri: str) -> dict[str, str] | None:
        """The values that an address has at the template's names, or None for another address."""
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/?#]+)", re.escape(self.uri))
        found = re.fullmatch(pattern, uri)
        return {name: unquote(value) for name, value in found.groupdict().items()} if found else None

    @property
    def definition(self) -> dict[str, Any]:
        return {
            ("uriTemplate" if self.is_template else "uri"): self.uri,
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "mimeType": self.media_type,
        }


class ResourceRegistry:
    """Every resource and template, in the order of their addresses."""

    def __init__(self) -> None:
        self._resources: dict[str, Resource] = {}

    def register(self, resource: Resource) -> None:
        """Raises ValueError where the address is taken."""
        if resource.uri in self._resources:
            raise ValueError(f"The resource {resource.uri} is registered twice.")
        self._resources[resource.uri] = resource

    def offered(self, caller: Caller) -> Iterator[Resource]:
        return (one for _, one in sorted(self._resources.items()) if one.listed and one.admits(caller))

    def template(self, caller: Caller, uri: str) -> Resource:
        """Raises UnknownResource."""
        found = self._resources.get(uri)
        if found is None or not found.admits(caller):
            raise UnknownResource
        return found

    def read(self, caller: Caller, uri: str) -> dict[str, Any]:
        """Raises UnknownResource."""
        for resource in self._resources.values():
            values = resource.match(uri)
            if values is not None and resource.admits(caller):
                return resource.read(caller, values).at(uri)
        raise UnknownResource


resources = ResourceRegistry()
