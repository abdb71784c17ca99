"""How OpenAPI writes a parameter's value: the styles of its parameter object, as percent-encoded text.

Rules: OpenAPI 3.1, "Style Values" and "Style Examples", which rest on RFC 6570. They give no form to a
container inside a container. Under deepObject this writes the brackets that PHP, qs and Stripe read; in the
other styles such a value travels as JSON.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import quote, unquote

type Pair = tuple[str, str]
type Encode = Callable[[str], str]

# RFC 3986's reserved characters without those that would end or split a query parameter.
_QUERY_RESERVED = ":/?@!$'()*,;[]"
_SEPARATORS = {"form": ",", "spaceDelimited": "%20", "pipeDelimited": "%7C"}


def encode(text: str) -> str:
    """Everything but RFC 3986's unreserved characters becomes %XX."""
    return quote(text, safe="")


def encode_reserved(text: str) -> str:
    """For `allowReserved`: the reserved characters stay, those that would leave the parameter do not."""
    return quote(text, safe=_QUERY_RESERVED)


def text(value: Any) -> str:
    """A JSON value as text: a whole float as an integer, null as nothing, containers as JSON."""
    match value:
        case str():
            return value
        case None:
            return ""
        case float() if value.is_integer():
            return str(int(value))
        case _:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def path_text(name: str, value: Any, *, style: str, explode: bool) -> str:
    """A path parameter's text in one of the styles simple, label and matrix."""
    match style:
        case "label":
            return "." + _joined(value, "." if explode else ",", explode, encode)
        case "matrix":
            return _matrix(encode(name), value, explode)
        case _:
            return simple(value, explode=explode)


def simple(value: Any, *, explode: bool, write: Encode = encode) -> str:
    """`a,b` for an array; `k,v` pairs for an object, or `k=v` exploded."""
    return _joined(value, ",", explode, write)


def query_pairs(name: str, value: Any, *, style: str, explode: bool, write: Encode = encode) -> list[Pair]:
    """A query or cookie parameter as encoded pairs. Null and an empty container give none."""
    if value is None or value in ([], {}):
        return []
    if style == "deepObject" and isinstance(value, dict | list):
        return list(_deep(encode(name), value, write))
    if isinstance(value, list) and explode:
        return [(encode(name), write(text(item))) for item in value]
    if isinstance(value, dict) and explode:
        return [(encode(key), write(text(item))) for key, item in value.items()]
    return [(encode(name), _joined(value, _SEPARATORS.get(style, ","), False, write))]


def form_pairs(name: str, value: Any) -> list[Pair]:
    """A field of an urlencoded body: plain values in a list repeat the name, anything deeper is bracketed."""
    deep = isinstance(value, dict) or nests(value)
    return query_pairs(name, value, style="deepObject" if deep else "form", explode=True)


def set_besides(name: str, pairs: Iterable[Pair], others: Iterable[str]) -> str:
    """Which of the other parameters these pairs of one parameter would set, too; empty for none.

    An exploded object brings names of its own. Servers read names whatever their case, and `a[]` as one more `a`.
    """
    taken = {other.casefold(): other for other in others if other != name}
    for key in (unquote(key) for key, _ in pairs):
        spellings = (key,) if key.startswith(f"{name}[") else (key, key.partition("[")[0])
        if key != name and (found := next((it for it in spellings if it.strip().casefold() in taken), None)):
            return taken[found.strip().casefold()]
    return ""


def nests(value: Any) -> bool:
    """Whether it is a container that holds another one."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(isinstance(item, dict | list) for item in items)


def _joined(value: Any, separator: str, explode: bool, write: Encode) -> str:
    match value:
        case list():
            return separator.join(write(text(item)) for item in value)
        case dict():
            link = "=" if explode else separator
            return separator.join(f"{write(key)}{link}{write(text(item))}" for key, item in value.items())
        case _:
            return write(text(value))


def _matrix(name: str, value: Any, explode: bool) -> str:
    if explode and isinstance(value, list):
        return "".join(f";{name}={encode(text(item))}" for item in value)
    if explode and isinstance(value, dict):
        return "".join(f";{encode(key)}={encode(text(item))}" for key, item in value.items())
    return f";{name}={_joined(value, ',', False, encode)}"


def _deep(name: str, value: Any, write: Encode) -> Iterator[Pair]:
    match value:
        case dict():
            for key, item in value.items():
                yield from _deep(f"{name}%5B{encode(key)}%5D", item, write)
        case list():
            for index, item in enumerate(value):
                yield from _deep(f"{name}%5B{index}%5D", item, write)
        case None:
            return
        case _:
            yield name, write(text(value))
