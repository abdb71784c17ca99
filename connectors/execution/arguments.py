"""Binds a tool's arguments to the places of an HTTP request where they travel."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from accesscontrol.exceptions import InvalidArguments, Problem
from connectors.binding import Binding, Location, Parameter
from connectors.execution import styles
from connectors.execution.bodies import write_body
from connectors.execution.errors import UnusableTool
from connectors.execution.headers import RESERVED_HEADERS, is_field_value, is_token
from connectors.execution.outgoing_file import OpenFile, refuse_files
from connectors.execution.problems import UNKNOWN, pointer
from connectors.execution.styles import Pair
from connectors.execution.validation import unsendable

_REFUSED_METHODS = ("CONNECT", "TRACE")
_PLACEHOLDER = re.compile(r"\{([^{}/]+)\}")
_DOT_SEGMENT = re.compile(r"(?:^|[/\\])\.{1,2}(?:[/\\]|$)")
# What may stand in the literal parts of a path template; % for templates that are encoded already.
_PATH_LITERAL = "/:@!$&'()*+,;=~%"


@dataclass(frozen=True, kw_only=True)
class BoundRequest:
    """A request but for its host and credential. `path`, `query` and `cookies` are percent-encoded.

    `path` starts with a slash and continues the base URL's path. `content` is None where there is no body.
    """

    method: str
    path: str
    query: tuple[Pair, ...] = ()
    headers: tuple[Pair, ...] = ()
    cookies: tuple[Pair, ...] = ()
    content: bytes | None = None
    media_type: str = ""


class _Refused(Exception):
    """Carries the reason why one value can't travel."""


def bind(binding: Binding, arguments: Mapping[str, Any], *, files: OpenFile = refuse_files) -> BoundRequest:
    """The request that these arguments make; optional ones that are absent or null are left out.

    `files` opens those that the arguments name by id. Raises InvalidArguments for values that can't travel safely
    where the binding puts them, UnsupportedMediaType for a body that nothing here can write, UnusableTool for a broken
    binding, and what `files` raises.
    """
    _refuse_unknown(binding, arguments)
    problems: list[Problem] = []
    written: dict[Location, list[Pair]] = {location: [] for location in Location}
    for parameter in binding.parameters:
        try:
            written[parameter.location] += _written(binding, parameter, arguments)
        except _Refused as refused:
            problems.append(Problem(pointer([parameter.argument]), str(refused)))
    if problems:
        raise InvalidArguments(problems)
    if not is_token(binding.method) or binding.method.upper() in _REFUSED_METHODS:
        raise UnusableTool("its HTTP method is not one that calls an operation")
    path, _, fixed_query = binding.path.partition("?")
    content, media_type = write_body(binding.body, arguments, files)
    return BoundRequest(
        method=binding.method.upper(),
        path=_fill(path, dict(written[Location.PATH])),
        query=(*_fixed_pairs(fixed_query), *written[Location.QUERY]),
        headers=_headers(written[Location.HEADER], binding.headers),
        cookies=tuple(written[Location.COOKIE]),
        content=content,
        media_type=media_type,
    )


def _written(binding: Binding, parameter: Parameter, arguments: Mapping[str, Any]) -> list[Pair]:
    """Raises _Refused, also for what would set another parameter, whose value may have been checked or fixed."""
    pairs = _WRITERS[parameter.location](parameter, _value(parameter, arguments))
    others = [it.name for it in binding.parameters if it.location is parameter.location]
    if parameter.location is Location.QUERY:
        others += [unquote(name) for name, _ in _fixed_pairs(binding.path.partition("?")[2])]
    if taken := styles.set_besides(parameter.name, pairs, others):
        raise _Refused(f"must not hold {taken}, which is set apart from it")
    return pairs


def _refuse_unknown(binding: Binding, arguments: Mapping[str, Any]) -> None:
    """An argument that goes nowhere must not be dropped in silence."""
    known = {parameter.argument for parameter in binding.parameters}
    if binding.body:
        known |= {binding.body.argument} | {argument for argument, _ in binding.body.properties}
    problem = unsendable(arguments)
    problems = [problem] if problem else [Problem(pointer([a]), UNKNOWN) for a in arguments if a not in known]
    if problems:
        raise InvalidArguments(problems)


def _value(parameter: Parameter, arguments: Mapping[str, Any]) -> Any:
    """The argument, as text where the parameter has a media type of its own (in practice JSON)."""
    value = arguments.get(parameter.argument)
    if value is None or not parameter.media_type or (isinstance(value, str) and "json" not in parameter.media_type):
        return value
    return json.dumps(value, separators=(",", ":"))


def _write_path(parameter: Parameter, value: Any) -> list[Pair]:
    if value in (None, "", [], {}):
        raise _Refused("is required and must not be empty")
    text = styles.path_text(parameter.name, value, style=parameter.style, explode=parameter.explode)
    # Some servers decode the path once more before they resolve its dot segments (RFC 3986, 5.2.4).
    if any(_DOT_SEGMENT.search(decoded) for decoded in _decodings(text)):
        raise _Refused("must not be or hold a . or .. path segment")
    return [(parameter.name, text)]


def _decodings(text: str) -> Iterable[str]:
    for _ in range(3):
        yield text
        text = unquote(text)
    yield text


def _write_query(parameter: Parameter, value: Any) -> list[Pair]:
    write = styles.encode_reserved if parameter.allow_reserved else styles.encode
    return styles.query_pairs(parameter.name, value, style=parameter.style, explode=parameter.explode, write=write)


def _write_cookie(parameter: Parameter, value: Any) -> list[Pair]:
    return styles.query_pairs(parameter.name, value, style="form", explode=parameter.explode)


def _write_header(parameter: Parameter, value: Any) -> list[Pair]:
    if value is None or parameter.name.lower() in RESERVED_HEADERS:
        return []
    text = styles.simple(value, explode=parameter.explode, write=str).strip(" \t")
    if not is_field_value(text):
        raise _Refused("travels in a header, so it may hold only visible ASCII characters and spaces")
    return [(parameter.name, text)]


_WRITERS: dict[Location, Callable[[Parameter, Any], list[Pair]]] = {
    Location.PATH: _write_path,
    Location.QUERY: _write_query,
    Location.HEADER: _write_header,
    Location.COOKIE: _write_cookie,
}


def _fill(template: str, values: Mapping[str, str]) -> str:
    """Puts the encoded values into the template's placeholders at once: a value can't open another one."""
    parts = _PLACEHOLDER.split(template)
    if missing := [name for name in parts[1::2] if name not in values]:
        raise UnusableTool(f"its path needs {missing[0]}, which is no parameter")
    parts[0::2] = [quote(literal, safe=_PATH_LITERAL) for literal in parts[0::2]]
    parts[1::2] = [values[name] for name in parts[1::2]]
    path = "/" + "".join(parts).lstrip("/")
    if any(_DOT_SEGMENT.search(decoded) for decoded in _decodings(path)):
        raise UnusableTool("its path has a . or .. segment")
    return path


def _fixed_pairs(query: str) -> list[Pair]:
    """Pairs that stand in the path template itself, such as `/api?action=list`."""
    pairs = (item.partition("=") for item in query.split("&") if item)
    return [(quote(name, safe="%"), quote(value, safe="%")) for name, _, value in pairs]


def _headers(arguments: list[Pair], fixed: tuple[Pair, ...]) -> tuple[Pair, ...]:
    """The binding's fixed headers win over arguments of the same name."""
    kept = [(name, value) for name, value in fixed if name.lower() not in RESERVED_HEADERS]
    fixed_names = {name.lower() for name, _ in kept}
    headers = (*kept, *((name, value) for name, value in arguments if name.lower() not in fixed_names))
    if not all(is_token(name) and is_field_value(value) for name, value in headers):
        raise UnusableTool("it sets a header that HTTP does not allow")
    return headers
