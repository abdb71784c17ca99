"""The styles of parameters that openapi-core can read, sent to a server and read there by it.

It reads no label, no matrix, no exploded object in the style form, no spaces between values, no deepObject that nests,
and decodes no cookie: OpenAPI's own examples of these are in `test_arguments.py`.
"""

import warnings
from typing import Any

import pytest

from connectors.auth_scheme import AuthKind, AuthScheme
from connectors.execution.arguments import bind
from connectors.execution.egress import GuardedTransport
from connectors.execution.request import build_request
from connectors.execution.sending import send
from tests.connectors.catalog.documents import Node, http, read_one
from tests.connectors.execution.independent import read
from tests.connectors.execution.upstream import Server

LIST: Node = {"type": "array", "items": {"type": "string"}}
NUMBERS: Node = {"type": "array", "items": {"type": "integer"}}
OBJECT: Node = {"type": "object", "properties": {"role": {"type": "string"}, "age": {"type": "integer"}}}
TEXTS = ["a b", "ü", "x&y=z", "100%"]
PERSON = {"role": "a b", "age": 7}


def found(upstream: Server, transport: GuardedTransport, location: str, value: Any, **parameter: Any) -> Any:
    """What openapi-core reads of the one parameter, `x`."""
    path = "/things/{x}" if location == "path" else "/things"
    node = {"name": "x", "in": location, "required": location == "path", **parameter}
    tool = read_one({"parameters": [node]}, method="get", path=path)
    bound = bind(http(tool), {"x": value})
    request = build_request(bound, base_url=upstream.url, auth=AuthScheme(kind=AuthKind.NONE), credential={})
    send(request, transport=transport, hop_check=lambda url: None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = read(
            {},
            version="3.0.3",
            method="get",
            path=path,
            path_item={"get": {"parameters": [node]}},
            received=upstream.received[-1],
        )
    assert not result.errors, [(str(it), str(it.__cause__)) for it in result.errors]
    return getattr(result.parameters, location)["x"]


@pytest.mark.parametrize(
    ("location", "schema", "value", "style", "explode"),
    [
        ("path", {"type": "integer"}, 7, "simple", False),
        ("path", {"type": "string"}, "a b&c=ü", "simple", False),
        ("path", {"type": "boolean"}, True, "simple", False),
        ("path", LIST, TEXTS, "simple", False),
        ("path", LIST, TEXTS, "simple", True),
        ("path", OBJECT, PERSON, "simple", False),
        ("path", OBJECT, PERSON, "simple", True),
        ("query", LIST, TEXTS, "form", True),
        ("query", LIST, ["one"], "form", True),
        ("query", LIST, TEXTS, "form", False),
        ("query", NUMBERS, [1, 2], "form", False),
        ("query", OBJECT, PERSON, "form", False),
        ("query", LIST, TEXTS, "pipeDelimited", False),
        ("query", OBJECT, PERSON, "pipeDelimited", False),
        ("query", OBJECT, PERSON, "deepObject", True),
        ("header", {"type": "string"}, "a b, c", "simple", False),
        ("header", NUMBERS, [1, 2, 3], "simple", False),
        ("header", OBJECT, PERSON, "simple", False),
        ("header", OBJECT, PERSON, "simple", True),
        ("cookie", {"type": "integer"}, 7, "form", True),
        ("cookie", LIST, ["a", "b"], "form", False),
    ],
)
def test_a_value_comes_back(
    upstream: Server,
    transport: GuardedTransport,
    location: str,
    schema: Node,
    value: Any,
    style: str,
    explode: bool,
) -> None:
    assert found(upstream, transport, location, value, schema=schema, style=style, explode=explode) == value


@pytest.mark.parametrize("location", ["query", "header", "path"])
def test_a_parameter_with_content_comes_back(upstream: Server, transport: GuardedTransport, location: str) -> None:
    value = {"a": [1, {"b": "ü & c"}]}
    content = {"application/json": {"schema": {"type": "object"}}}
    assert found(upstream, transport, location, value, content=content) == value


def test_an_empty_text_comes_back_where_it_may_be_sent(upstream: Server, transport: GuardedTransport) -> None:
    assert found(upstream, transport, "query", "", schema={"type": "string"}, allowEmptyValue=True) == ""


def test_reserved_characters_come_back(upstream: Server, transport: GuardedTransport) -> None:
    value = "https://example.com/a?b=c&d=e#f+g%2f"
    assert found(upstream, transport, "query", value, schema={"type": "string"}, allowReserved=True) == value
