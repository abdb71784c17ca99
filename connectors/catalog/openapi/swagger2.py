"""OpenAPI 2.0 ("Swagger") documents in the shape of 3.0, which is all that the other readers know.

Schemas mean the same in both, so none is copied: their `$ref`s are led to where the definitions stand now.
Paths are rewritten one operation at a time, because what 2.0 calls a parameter can be a part of the body.
"""

import re
from collections.abc import Iterator
from typing import Any

from connectors.catalog.openapi.media_types import FORM, MULTIPART
from connectors.catalog.openapi.operations import METHODS
from connectors.catalog.openapi.references import Document
from connectors.catalog.openapi.swagger2_parameters import FILE, field, parameter

type Node = dict[str, Any]

_ORIGINAL_PATHS = "x-swagger-paths"
_MOVED = {"definitions": ("components", "schemas"), "paths": (_ORIGINAL_PATHS,)}
_FLOWS = {
    "implicit": "implicit",
    "password": "password",
    "application": "clientCredentials",
    "accessCode": "authorizationCode",
}
_ACCESS_TOKEN = re.compile(r"\s*(an? |the |your )?authentication token\b", re.IGNORECASE)


def is_swagger_2(root: Node) -> bool:
    """YAML reads an unquoted 2.0 as a number."""
    return str(root.get("swagger")) in ("2.0", "2")


def as_openapi_3(root: Node) -> Document:
    """The document that `root` describes. Reads nothing but `root`, and leaves it as it is."""
    return Document(_Conversion(root).converted(), moved=_MOVED)


class _Conversion:
    def __init__(self, root: Node) -> None:
        self._root = root
        self._document = Document(root)
        self._schemes = {name: _security_scheme(node) for name, node in _mapping(root, "securityDefinitions").items()}
        self._holds_tokens = False

    def converted(self) -> Node:
        """All that the document had stays in its place, for what refers to it."""
        original = _mapping(self._root, "paths")
        paths = {path: self._path_item(entry) for path, entry in original.items()}
        schemes = dict(self._schemes)
        if self._holds_tokens:
            schemes.setdefault("token", {"type": "http", "scheme": "bearer"})
        return {
            **self._root,
            "openapi": "3.0.3",
            "servers": self._servers(self._root.get("schemes")),
            "paths": paths,
            _ORIGINAL_PATHS: original,
            "components": {"schemas": _mapping(self._root, "definitions"), "securitySchemes": schemes},
        }

    def _servers(self, schemes: Any) -> list[Node]:
        """The scheme that the document came by counts where it names none; where it came by none, https."""
        base = _text(self._root.get("basePath"))
        path = "/" + base.lstrip("/")
        host = _text(self._root.get("host")).rpartition("://")[2].strip("/")
        if not host:
            return [{"url": path}]
        offered = [scheme for scheme in ("https", "http") if scheme in _texts(schemes)]
        return [{"url": f"{prefix}//{host}{path}"} for prefix in ([f"{it}:" for it in offered] or ["", "https:"])]

    def _path_item(self, entry: Any) -> Any:
        """What cannot be followed stays, so that whoever reads it names it."""
        node = self._document.follow_or_none(entry)
        if not isinstance(node, dict):
            return entry
        shared = node.get("parameters")
        return {
            key: self._operation(value, shared) if key.lower() in METHODS and isinstance(value, dict) else value
            for key, value in node.items()
            if key != "parameters"
        }

    def _operation(self, node: Node, shared: Any) -> Node:
        unknown, found = self._parameters(shared, node.get("parameters"))
        tokens = [it for it in found if self._is_access_token(it, node)]
        self._holds_tokens |= bool(tokens)
        found = [it for it in found if it not in tokens]
        plain = [parameter(it) for it in found if it["in"] not in ("body", "formData")]
        converted = {**node, "parameters": [*unknown, *plain]}
        body = next((it for it in found if it["in"] == "body"), None)
        fields = [it for it in found if it["in"] == "formData"]
        if body is not None:
            converted["requestBody"] = self._body(body, node)
        elif fields:
            converted["requestBody"] = self._form(fields, node)
        if "schemes" in node:
            converted["servers"] = self._servers(node["schemes"])
        return converted

    def _parameters(self, shared: Any, own: Any) -> tuple[list[Node], list[Node]]:
        """The references that lead nowhere, and the parameters; an operation's own override its path's."""
        unknown: list[Node] = []
        found: dict[tuple[str, str], Node] = {}
        for entry in (*_list(shared), *_list(own)):
            node = self._document.follow_or_none(entry)
            if node is None and isinstance(entry, dict):
                unknown.append(entry)
            elif isinstance(node, dict) and (key := _key(node)):
                found[key] = node
        return unknown, list(found.values())

    def _is_access_token(self, node: Node, operation: Node) -> bool:
        """Slack's operations list the token that their OAuth flow gives, though the account brings it.

        Which it then does as RFC 6750 has it, in the Authorization header.
        """
        return (
            node.get("name") in ("token", "access_token")
            and _ACCESS_TOKEN.match(_text(node.get("description"))) is not None
            and any(self._schemes.get(name, {}).get("type") == "oauth2" for name in self._required(operation))
        )

    def _required(self, operation: Node) -> Iterator[str]:
        for requirement in _list(operation.get("security", self._root.get("security"))):
            yield from requirement if isinstance(requirement, dict) else ()

    def _consumes(self, operation: Node) -> list[str]:
        """An operation's own list wins over the document's, even an empty one."""
        return _texts(operation["consumes"] if "consumes" in operation else self._root.get("consumes"))

    def _body(self, node: Node, operation: Node) -> Node:
        media = {"schema": node.get("schema", {})}
        return {
            "description": node.get("description"),
            "required": node.get("required"),
            "content": dict.fromkeys(self._consumes(operation) or ["application/json"], media),
        }

    def _form(self, fields: list[Node], operation: Node) -> Node:
        """A form is one of two media types, whatever else the document names; a file needs the second."""
        consumes = [it.partition(";")[0].strip().lower() for it in self._consumes(operation)]
        has_file = any(it.get("type") == FILE for it in fields)
        multipart = has_file or (MULTIPART in consumes and FORM not in consumes)
        required = [it["name"] for it in fields if it.get("required") is True]
        schema = {"type": "object", "properties": {it["name"]: field(it) for it in fields}, "required": required}
        return {"required": bool(required), "content": {MULTIPART if multipart else FORM: {"schema": schema}}}


def _key(node: Node) -> tuple[str, str] | None:
    """Location and name; there is only one body, whatever its name. None for what is no parameter."""
    location, name = node.get("in"), node.get("name")
    if location == "body":
        return "body", ""
    return (location, name) if isinstance(location, str) and isinstance(name, str) else None


def _security_scheme(node: Any) -> Node:
    if not isinstance(node, dict):
        return {}
    match node.get("type"):
        case "basic":
            return {"type": "http", "scheme": "basic"}
        case "oauth2":
            return {"type": "oauth2", "flows": {_FLOWS.get(_text(node.get("flow")), "implicit"): node}}
    return node


def _mapping(node: Node, key: str) -> Node:
    value = node.get(key)
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _texts(value: Any) -> list[str]:
    return [item for item in _list(value) if isinstance(item, str)]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
