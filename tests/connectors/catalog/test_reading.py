"""A whole document as a catalog: its tools, what it skips, where it lives and how calls are authenticated."""

import json
from typing import Any

import pytest

from connectors.auth_scheme import AuthKind, AuthScheme
from connectors.catalog.document import CatalogError, SkippedOperation
from connectors.catalog.openapi import read_openapi
from tests.connectors.catalog.documents import SOURCE, Node, document, http, query, read, read_one

LIST: Node = {"get": {"operationId": "listThings"}}


def test_a_document_becomes_a_catalog_with_its_title_and_version() -> None:
    catalog = read({"/things": LIST})
    assert (catalog.title, catalog.version) == ("Desk", "1")
    (tool,) = catalog.tools
    assert (tool.name, tool.operation, tool.deprecated) == ("list_things", "listThings", False)
    assert tool.input_schema == {"type": "object", "properties": {}, "additionalProperties": False}


def test_yaml_with_integer_status_keys_is_read() -> None:
    text = b"""
openapi: 3.1.0
info: {title: Desk, version: 1.0}
paths:
  /things:
    get:
      responses:
        200: {description: fine}
"""
    (tool,) = read_openapi(text, source="desk.yaml").tools
    assert (tool.name, tool.operation) == ("list_things", "GET /things")


@pytest.mark.parametrize(
    ("method", "read_only", "destructive", "idempotent"),
    [
        ("get", True, False, True),
        ("head", True, False, True),
        ("options", True, False, True),
        ("post", False, False, False),
        ("put", False, False, True),
        ("patch", False, False, False),
        ("delete", False, True, True),
    ],
)
def test_annotations_come_from_the_method(method: str, read_only: bool, destructive: bool, idempotent: bool) -> None:
    assert read_one({"operationId": "doThing", "summary": "Do a <i>thing</i>"}, method=method).annotations == {
        "title": "Do a thing",
        "readOnlyHint": read_only,
        "destructiveHint": destructive,
        "idempotentHint": idempotent,
        "openWorldHint": True,
    }


def test_without_a_summary_the_title_is_the_name() -> None:
    assert read_one({"operationId": "listThings"}).annotations["title"] == "List things"


@pytest.mark.parametrize(
    ("texts", "description"),
    [
        ({"description": "Makes <b>one</b>.", "summary": "Make"}, "Makes one."),
        ({"summary": "Make"}, "Make"),
        ({"description": "", "summary": "Make"}, "Make"),
        ({"description": ["?"], "summary": "Make"}, ""),
        ({}, ""),
    ],
)
def test_the_description_falls_back_to_the_summary(texts: Node, description: str) -> None:
    assert read_one(texts).description == description


def test_a_description_of_ten_thousand_characters_is_capped_after_a_sentence() -> None:
    description = read_one({"description": "A sentence about things. " * 400}).description
    assert 900 < len(description) <= 1024
    assert description.endswith("things.")


def test_deprecated_operations_say_so() -> None:
    assert read_one({"deprecated": True}).deprecated


def test_two_operations_with_one_id_are_two_tools() -> None:
    again = {"get": {"operationId": "listThings", "summary": "List wheels"}}
    catalog = read({"/wheels": again, "/things": LIST})
    assert [it.name for it in catalog.tools] == ["list_wheels", "list_things"]


def test_a_fragment_in_a_path_tells_operations_apart_and_never_travels() -> None:
    catalog = read({"/token": {"post": {}}, "/token#refresh": {"post": {}}})
    assert [http(it).path for it in catalog.tools] == ["/token", "/token"]
    assert len({it.name for it in catalog.tools}) == 2


def test_a_query_in_a_path_is_fixed_and_its_placeholders_are_the_declared_parameters() -> None:
    catalog = read({"/rpc/{id}?action=run&limit={limit}": {"post": {"parameters": [query("limit")]}}})
    (tool,) = catalog.tools
    assert http(tool).path == "/rpc/{id}?action=run"
    assert list(tool.input_schema["properties"]) == ["id", "limit"]


def test_a_path_item_may_be_a_reference() -> None:
    catalog = read({"/a": {"$ref": "#/components/pathItems/A"}}, components={"pathItems": {"A": LIST}})
    assert [it.name for it in catalog.tools] == ["list_things"]


def test_what_is_broken_is_skipped_by_name_with_the_reason_and_the_rest_stays() -> None:
    catalog = read(
        {
            "/good": LIST,
            "/null": None,
            "/lost": {"$ref": "#/components/pathItems/Gone"},
            "/odd": {"get": "soon", "parameters": "none", "x-internal": {}, "summary": "Odd"},
            "no-slash": {"get": {"operationId": "noSlash"}},
            "x-note": {"get": {}},
        }
    )
    assert [it.name for it in catalog.tools] == ["list_things"]
    assert catalog.skipped == (
        SkippedOperation(operation="/null", reason="the path holds no mapping"),
        SkippedOperation(
            operation="/lost",
            reason="the reference '#/components/pathItems/Gone' leads to nothing in this document",
        ),
        SkippedOperation(operation="GET /odd", reason="the operation is no mapping"),
        SkippedOperation(operation="noSlash", reason="its path does not start with a slash"),
    )


@pytest.mark.parametrize(
    "parameters", ["none", [None, 3, "x"], [{"in": "query"}], [{"name": "a"}], [{"name": "a", "in": "body"}]]
)
def test_parameters_that_are_none_are_left_out(parameters: Any) -> None:
    assert read_one({"parameters": parameters}).input_schema["properties"] == {}


@pytest.mark.parametrize(
    ("root", "message"),
    [
        ({"swagger": "1.2", "paths": {}}, "Swagger 1.2 documents cannot be read; OpenAPI 2.0, 3.0 and 3.1 can."),
        ({"paths": {}}, "The document has no `openapi` version, so it is no OpenAPI document."),
        ({"openapi": "2.5", "paths": {}}, "OpenAPI 2.5 documents cannot be read; OpenAPI 2.0, 3.0 and 3.1 can."),
        ({"openapi": "3.0.0", "paths": []}, "The document's `paths` is no mapping."),
        ({"openapi": "3.0.0", "paths": {}}, "The document holds no operation that can become a tool."),
        (
            {"openapi": "3.1.0", "paths": {"/a": 3}},
            "The document holds no operation that can become a tool; the first, /a: the path holds no mapping.",
        ),
    ],
)
def test_a_document_that_cannot_be_read_is_one_clear_error(root: Node, message: str) -> None:
    with pytest.raises(CatalogError) as raised:
        read_openapi(json.dumps(root).encode(), source="desk.json")
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("servers", "base_url"),
    [
        ([{"url": "https://api.vendor.example/v1/"}], "https://api.vendor.example/v1"),
        ([{"url": "/v2"}], "https://vendor.example/v2"),
        ([{"url": "../v3"}], "https://vendor.example/v3"),
        (None, "https://vendor.example"),
        ([], "https://vendor.example"),
        (
            [
                {
                    "url": "https://{region}.vendor.example/{base}",
                    "variables": {"region": {"default": "eu"}, "base": {"enum": ["a"]}},
                }
            ],
            "https://eu.vendor.example/a",
        ),
        (
            [{"url": "https://{tenant}.vendor.example"}, {"url": "https://second.example"}],
            "https://second.example",
        ),
        ([{"url": "ftp://x.example"}, {"url": "https://u:p@x.example"}, {"url": "https://["}, 3], ""),
        ("nonsense", ""),
    ],
)
def test_the_base_url_is_the_first_server_that_can_be_used(servers: Any, base_url: str) -> None:
    root = {} if servers is None else {"servers": servers}
    assert read({"/things": LIST}, **root).base_url == base_url


def test_a_document_from_a_file_without_absolute_servers_has_no_base_url() -> None:
    assert read({"/things": LIST}, source="/tmp/desk.json", servers=[{"url": "/v2"}]).base_url == ""
    assert read({"/things": LIST}, source="desk.json").base_url == ""


def test_an_operation_s_own_server_is_bound_to_it() -> None:
    catalog = read(
        {
            "/a": {"get": {"servers": [{"url": "https://files.vendor.example/"}]}},
            "/b": {"servers": [{"url": "https://b.vendor.example"}], "get": {}},
            "/c": {"get": {}},
        },
        servers=[{"url": "https://api.vendor.example"}],
    )
    assert [http(it).base_url for it in catalog.tools] == [
        "https://files.vendor.example",
        "https://b.vendor.example",
        "",
    ]


def test_auth_schemes_come_in_the_order_of_the_document_s_security() -> None:
    schemes = {
        "basic": {"type": "http", "scheme": "Basic"},
        "cookie": {"type": "apiKey", "in": "cookie", "name": "sid"},
        "header": {"type": "apiKey", "in": "header", "name": "X-Key"},
        "query": {"type": "apiKey", "in": "query", "name": "key"},
        "bearer": {"type": "http", "scheme": "bearer"},
        "digest": {"type": "http", "scheme": "digest"},
        "oauth": {
            "type": "oauth2",
            "flows": {
                "implicit": {"authorizationUrl": "https://i.example", "scopes": {}},
                "authorizationCode": {
                    "authorizationUrl": "https://a.example",
                    "tokenUrl": "https://t.example",
                    "scopes": {"read": "", "write": ""},
                },
            },
        },
        "gone": {"$ref": "#/components/securitySchemes/nothing"},
    }
    catalog = read(
        {"/things": LIST},
        components={"securitySchemes": schemes},
        security=[{}, {"oauth": ["read"]}, {"bearer": []}, 3],
    )
    assert catalog.auth_schemes == (
        AuthScheme(
            kind=AuthKind.OAUTH2,
            name="oauth",
            authorization_url="https://a.example",
            token_url="https://t.example",
            scopes=("read", "write"),
        ),
        AuthScheme(kind=AuthKind.BEARER, name="bearer"),
        AuthScheme(kind=AuthKind.BASIC, name="basic"),
        AuthScheme(kind=AuthKind.API_KEY_HEADER, name="header", parameter="X-Key"),
        AuthScheme(kind=AuthKind.API_KEY_QUERY, name="query", parameter="key"),
    )


def test_a_document_without_schemes_needs_no_credential() -> None:
    assert read({"/things": LIST}).auth_schemes == ()


def test_progress_sees_every_operation_go_by() -> None:
    seen = []

    def watch(operations: Any) -> Any:
        for operation in operations:
            seen.append(operation.label)
            yield operation

    paths = {"/things": LIST, "/parts": {"get": {"parameters": [query("a")]}}}
    read_openapi(json.dumps(document(paths)).encode(), source=SOURCE, progress=watch)
    assert seen == ["listThings", "GET /parts"]
