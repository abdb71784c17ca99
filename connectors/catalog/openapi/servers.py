"""Where an API lives: the first server that a document names and that can be used."""

import re
from typing import Any
from urllib.parse import urljoin, urlsplit, urlunsplit

_VARIABLE = re.compile(r"\{([^{}]+)\}")


def base_url(owner: dict[str, Any], source: str) -> str:
    """The URL of a document's, path's or operation's first usable server with no trailing slash; else empty.

    A relative URL counts from where the document came from, if that was on the web.
    """
    servers = owner.get("servers")
    for server in servers if isinstance(servers, list) else ():
        url = _absolute(_filled_in(server), source) if isinstance(server, dict) else ""
        if url:
            return url
    return ""


def document_base_url(document: dict[str, Any], source: str) -> str:
    """As `base_url`; a document without servers means the root of its own host (OpenAPI, "servers")."""
    return base_url(document, source) if document.get("servers") else _absolute("/", source)


def _filled_in(server: dict[str, Any]) -> str:
    """The URL with each variable's default, or first choice; empty where one has neither."""
    declared = server.get("variables")
    variables = declared if isinstance(declared, dict) else {}
    values = {name: _value(variables.get(name)) for name in _VARIABLE.findall(str(server.get("url", "")))}
    if "" in values.values():
        return ""
    return _VARIABLE.sub(lambda match: values[match[1]], str(server.get("url", "")))


def _value(variable: Any) -> str:
    if not isinstance(variable, dict):
        return ""
    choices = variable.get("enum")
    first = choices[0] if isinstance(choices, list) and choices else ""
    return str(variable.get("default") or first)


def _absolute(url: str, source: str) -> str:
    if not url:
        return ""
    try:
        parts = urlsplit(urljoin(source, url) if source.startswith(("http://", "https://")) else url)
        usable = parts.scheme in ("http", "https") and parts.hostname and not parts.username
        return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", "")) if usable else ""
    except ValueError:
        return ""
