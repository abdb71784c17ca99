"""OpenAPI 2.0: what its own words for hosts, bodies, forms, arrays, definitions and credentials become."""

import json
from typing import Any

import jsonschema_rs
import pytest

from connectors.auth_scheme import AuthKind, AuthScheme
from connectors.binding import Body, Location
from connectors.catalog.document import Catalog, CatalogTool
from connectors.catalog.openapi import read_openapi
from connectors.catalog.openapi.files import file_id
from connectors.execution.arguments import bind
from tests.connectors.catalog.documents import SOURCE, Node, http
from tests.connectors.catalog.nonsense import JUNK, assert_read_or_refused

FORM = "application/x-www-form-urlencoded"


def read(paths: Node, *, source: str = SOURCE, **root: Any) -> Catalog:
    document = {"swagger": "2.0", "info": {"title": "Desk", "version": "1"}, "paths": paths, **root}
    return read_openapi(json.dumps(document).encode(), source=source)


def read_one(
    *parameters: Node,
    method: str = "post",
    path: str = "/tickets",
    shared: Any = (),
    root: Any = None,
    **operation: Any,
) -> CatalogTool:
    """The only tool of a document whose one operation has these parameters."""
    catalog = read(
        {path: {"parameters": [*shared], method: {"parameters": [*parameters], **operation}}}, **(root or {})
    )
    assert not catalog.skipped, catalog.skipped
    (tool,) = catalog.tools
    jsonschema_rs.Draft202012Validator(tool.input_schema)
    return tool


def body(schema: Any, **more: Any) -> Node:
    return {"name": "payload", "in": "body", "schema": schema, **more}


def field(name: str, type: str = "string", **more: Any) -> Node:
    return {"name": name, "in": "formData", "type": type, **more}


def query(name: str, type: str = "string", **more: Any) -> Node:
    return {"name": name, "in": "query", "type": type, **more}


class TestWhereItLives:
    @pytest.mark.parametrize(
        ("root", "source", "url"),
        [
            ({"host": "a.example", "basePath": "/v1", "schemes": ["http", "https"]}, SOURCE, "https://a.example/v1"),
            ({"host": "a.example", "basePath": "v1/", "schemes": ["http"]}, SOURCE, "http://a.example/v1"),
            ({"host": "a.example:8443"}, "http://b.example/spec.json", "http://a.example:8443"),
            ({"host": "a.example"}, "desk.json", "https://a.example"),
            ({"host": "https://a.example/", "basePath": "/v1"}, "desk.json", "https://a.example/v1"),
            ({"basePath": "/v1", "schemes": ["http"]}, SOURCE, "https://vendor.example/v1"),
            ({}, SOURCE, "https://vendor.example"),
            ({"basePath": "/v1"}, "desk.json", ""),
        ],
    )
    def test_the_base_url_is_host_and_base_path_by_the_safest_scheme(self, root: Node, source: str, url: str) -> None:
        assert read({"/things": {"get": {}}}, source=source, **root).base_url == url

    def test_an_operation_with_schemes_of_its_own_goes_by_those(self) -> None:
        root = {"host": "a.example", "basePath": "/v1", "schemes": ["http"]}
        assert http(read_one(schemes=["https"], root=root)).base_url == "https://a.example/v1"

    def test_a_version_that_yaml_reads_as_a_number_is_known(self) -> None:
        (tool,) = read_openapi(b"swagger: 2.0\npaths: {/things: {get: {}}}\n", source="desk.yaml").tools
        assert tool.operation == "GET /things"


class TestBodies:
    def test_the_properties_of_a_body_are_arguments(self) -> None:
        schema = {"type": "object", "required": ["title"], "properties": {"title": {"type": "string"}, "size": {}}}
        tool = read_one(body(schema, required=True))
        assert tool.input_schema["required"] == ["title"]
        assert http(tool).body == Body(
            media_type="application/json", required=True, properties=(("title", "title"), ("size", "size"))
        )

    def test_any_other_body_is_one_argument_under_its_description(self) -> None:
        tool = read_one(body({"type": "array", "items": {"type": "string"}}, description="The titles."))
        assert tool.input_schema["properties"]["body"] == {
            "type": "array",
            "items": {"type": "string"},
            "description": "The titles.",
        }

    @pytest.mark.parametrize(
        ("root", "operation", "media_type"),
        [
            ({}, {}, "application/json"),
            ({"consumes": ["application/vnd.desk+json"]}, {}, "application/vnd.desk+json"),
            ({"consumes": ["text/plain"]}, {"consumes": ["application/xml", "text/json"]}, "text/json"),
            ({"consumes": ["text/plain"]}, {"consumes": []}, "application/json"),
        ],
    )
    def test_it_is_sent_as_what_the_operation_or_else_the_document_consumes(
        self, root: Node, operation: Node, media_type: str
    ) -> None:
        tool = read_one(body({"type": "object"}), root=root, **operation)
        made = http(tool).body
        assert made
        assert made.media_type == media_type

    def test_a_body_that_stands_among_the_shared_parameters_is_a_body(self) -> None:
        root = {
            "parameters": {"Ticket": body({"$ref": "#/definitions/Ticket"}, required=True)},
            "definitions": {"Ticket": {"type": "object", "properties": {"title": {"type": "string"}}}},
        }
        tool = read_one({"$ref": "#/parameters/Ticket"}, root=root)
        assert tool.input_schema["properties"] == {"title": {"type": "string"}}
        assert http(tool).body == Body(media_type="application/json", required=True, properties=(("title", "title"),))

    def test_an_operation_s_body_replaces_the_one_of_its_path(self) -> None:
        shared = {**body({"properties": {"old": {}}}), "name": "other"}
        assert list(read_one(body({"properties": {"new": {}}}), shared=[shared]).input_schema["properties"]) == ["new"]


class TestForms:
    def test_form_fields_are_arguments_and_travel_as_a_form(self) -> None:
        tool = read_one(
            field("title", required=True, description="What it is about."),
            field("urgent", "boolean", default=False),
            consumes=["application/json", FORM],
        )
        assert tool.input_schema == {
            "type": "object",
            "properties": {
                "title": {"type": "string", "description": "What it is about."},
                "urgent": {"type": "boolean", "default": False},
            },
            "required": ["title"],
            "additionalProperties": False,
        }
        sent = bind(http(tool), {"title": "a b&c", "urgent": True})
        assert (sent.content, sent.media_type) == (b"title=a%20b%26c&urgent=true", FORM)

    @pytest.mark.parametrize(
        ("fields", "consumes", "media_type"),
        [
            ([field("a")], [], FORM),
            ([field("a")], ["multipart/form-data"], "multipart/form-data"),
            ([field("a")], ["multipart/form-data", FORM], FORM),
            ([field("a"), field("b", "file")], [FORM], "multipart/form-data"),
        ],
    )
    def test_a_file_makes_a_form_multipart(self, fields: list[Node], consumes: list[str], media_type: str) -> None:
        made = http(read_one(*fields, consumes=consumes)).body
        assert made
        assert made.media_type == media_type

    def test_a_file_is_given_by_its_id(self) -> None:
        tool = read_one(field("picture", "file", description="A PNG."))
        assert tool.input_schema["properties"] == {"picture": file_id("A PNG.")}
        body = http(tool).body
        assert body is not None
        assert body.files == ("picture",)

    def test_an_array_repeats_its_field_or_is_text_that_says_how(self) -> None:
        tags = {"items": {"type": "string"}}
        tool = read_one(
            field("many", "array", collectionFormat="multi", **tags),
            field("one", "array", description="The tags.", **tags),
        )
        assert tool.input_schema["properties"] == {
            "many": {"type": "array", "items": {"type": "string"}},
            "one": {"type": "string", "description": "The tags. Values separated by commas."},
        }
        assert bind(http(tool), {"many": ["a", "b"], "one": "a,b"}).content == b"many=a&many=b&one=a%2Cb"


class TestParameters:
    def test_what_describes_a_value_becomes_its_schema(self) -> None:
        limit = query("limit", "integer", format="int32", minimum=0, exclusiveMinimum=True, default=10, enum=[10, 20])
        tool = read_one({**limit, "description": "How many.", "required": True, "x-nullable": True}, method="get")
        assert tool.input_schema["properties"]["limit"] == {
            "type": ["integer", "null"],
            "format": "int32",
            "exclusiveMinimum": 0,
            "default": 10,
            "enum": [10, 20, None],
            "description": "How many.",
        }
        assert tool.input_schema["required"] == ["limit"]

    @pytest.mark.parametrize(
        ("collection", "wire"),
        [
            ({}, "t=a,b"),
            ({"collectionFormat": "csv"}, "t=a,b"),
            ({"collectionFormat": "ssv"}, "t=a%20b"),
            ({"collectionFormat": "pipes"}, "t=a%7Cb"),
            ({"collectionFormat": "multi"}, "t=a&t=b"),
        ],
    )
    def test_an_array_in_the_query_is_joined_as_the_document_says(self, collection: Node, wire: str) -> None:
        tool = read_one(query("t", "array", items={"type": "string"}, **collection), method="get")
        assert tool.input_schema["properties"]["t"] == {"type": "array", "items": {"type": "string"}}
        sent = bind(http(tool), {"t": ["a", "b"]}).query
        assert "&".join(f"{name}={value}" for name, value in sent) == wire

    def test_an_array_in_a_path_or_header_is_joined_by_commas(self) -> None:
        ids = {"name": "ids", "in": "path", "type": "array", "items": {"type": "integer"}, "required": True}
        tool = read_one(ids, {**ids, "name": "X-Ids", "in": "header"}, path="/tickets/{ids}")
        sent = bind(http(tool), {"ids": [1, 2], "X-Ids": [3, 4]})
        assert (sent.path, sent.headers) == ("/tickets/1,2", (("X-Ids", "3,4"),))

    @pytest.mark.parametrize(
        "place", [{"in": "query", "collectionFormat": "tsv"}, {"in": "header", "collectionFormat": "pipes"}]
    )
    def test_an_array_that_nothing_can_write_is_text_that_says_how(self, place: Node) -> None:
        tool = read_one({"name": "ids", "type": "array", **place})
        assert tool.input_schema["properties"]["ids"]["type"] == "string"
        assert "Values separated by" in tool.input_schema["properties"]["ids"]["description"]

    def test_a_list_inside_a_list_is_text_that_says_how(self) -> None:
        inner = {"type": "array", "collectionFormat": "pipes", "items": {"type": "string"}}
        assert read_one(query("rows", "array", items=inner)).input_schema["properties"]["rows"]["items"] == {
            "type": "string",
            "description": "Values separated by pipes (|).",
        }

    def test_a_path_s_parameters_are_shared_and_an_operation_overrides_them(self) -> None:
        root = {"parameters": {"Id": {"name": "id", "in": "path", "type": "string", "required": True}}}
        tool = read_one(
            query("page", "integer"),
            path="/tickets/{id}",
            shared=[{"$ref": "#/parameters/Id"}, query("page")],
            root=root,
        )
        assert tool.input_schema["properties"] == {"id": {"type": "string"}, "page": {"type": "integer"}}
        assert [it.location for it in http(tool).parameters] == [Location.PATH, Location.QUERY]

    def test_a_reference_that_leads_to_nothing_is_noted(self) -> None:
        catalog = read({"/things": {"get": {"parameters": [{"$ref": "#/parameters/Gone"}]}}})
        assert len(catalog.tools) == 1
        assert catalog.notes == ("The reference '#/parameters/Gone' leads to nothing; anything is admitted there.",)


class TestDefinitions:
    def test_references_stay_references_under_the_names_of_the_definitions(self) -> None:
        definitions = {
            "Page": {
                "type": "object",
                "properties": {
                    "parent": {"$ref": "#/definitions/Page", "x-nullable": True},
                    "title": {"type": "string"},
                },
            }
        }
        tool = read_one(
            body({"type": "object", "properties": {"page": {"$ref": "#/definitions/Page"}}}),
            root={"definitions": definitions},
        )
        assert tool.input_schema["properties"] == {"page": {"$ref": "#/$defs/Page"}}
        assert tool.input_schema["$defs"] == {
            "Page": {
                "type": "object",
                "properties": {
                    "parent": {"anyOf": [{"$ref": "#/$defs/Page"}, {"type": "null"}]},
                    "title": {"type": "string"},
                },
            }
        }

    def test_a_thousand_definitions_that_refer_to_each_other_are_not_written_out(self) -> None:
        names = [f"T{number}" for number in range(1000)]
        definitions = {
            name: {"type": "object", "properties": {it: {"$ref": f"#/definitions/{it}"} for it in names[:50]}}
            for name in names
        }
        tool = read_one(
            body({"type": "array", "items": {"$ref": "#/definitions/T999"}}), root={"definitions": definitions}
        )
        assert len(tool.input_schema["$defs"]) == 51

    def test_what_only_responses_hold_is_left_out(self) -> None:
        schema = {"properties": {"id": {"type": "string", "readOnly": True}, "title": {"type": "string"}}}
        assert list(read_one(body(schema)).input_schema["properties"]) == ["title"]

    def test_a_reference_into_another_operation_leads_to_what_the_document_has_there(self) -> None:
        first = {
            "post": {"operationId": "first", "parameters": [body({"type": "array", "items": {"type": "integer"}})]}
        }
        items = body({"type": "object", "properties": {"ids": {"$ref": "#/paths/~1a/post/parameters/0/schema"}}})
        catalog = read({"/a": first, "/b": {"post": {"operationId": "second", "parameters": [items]}}})
        assert not catalog.notes
        (definition,) = catalog.tools[1].input_schema["$defs"].values()
        assert definition == {"type": "array", "items": {"type": "integer"}}

    def test_a_path_that_is_another_s_is_converted_too(self) -> None:
        catalog = read(
            {"/a": {"post": {"parameters": [field("x")]}}, "/b": {"$ref": "#/paths/~1a"}, "/c": {"$ref": "o#/c"}}
        )
        assert [list(tool.input_schema["properties"]) for tool in catalog.tools] == [["x"], ["x"]]
        assert [(it.operation, "'o#/c' leads to nothing" in it.reason) for it in catalog.skipped] == [("/c", True)]


OAUTH: Node = {
    "type": "oauth2",
    "flow": "accessCode",
    "authorizationUrl": "https://a.example/authorize",
    "tokenUrl": "https://a.example/token",
    "scopes": {"read": "Read"},
}
TOKEN = query("token", description="Authentication token. Requires scope: `read`", required=True)


class TestCredentials:
    @pytest.mark.parametrize(
        ("declared", "scheme"),
        [
            ({"type": "basic"}, AuthScheme(kind=AuthKind.BASIC, name="it")),
            (
                {"type": "apiKey", "in": "header", "name": "X-Key"},
                AuthScheme(kind=AuthKind.API_KEY_HEADER, name="it", parameter="X-Key"),
            ),
            (
                {"type": "apiKey", "in": "query", "name": "key"},
                AuthScheme(kind=AuthKind.API_KEY_QUERY, name="it", parameter="key"),
            ),
            (
                OAUTH,
                AuthScheme(
                    kind=AuthKind.OAUTH2,
                    name="it",
                    authorization_url="https://a.example/authorize",
                    token_url="https://a.example/token",
                    scopes=("read",),
                ),
            ),
            (
                {"type": "oauth2", "flow": "application", "tokenUrl": "https://a.example/token"},
                AuthScheme(kind=AuthKind.OAUTH2, name="it", token_url="https://a.example/token"),
            ),
        ],
    )
    def test_security_definitions_are_ways_to_authenticate(self, declared: Node, scheme: AuthScheme) -> None:
        assert read({"/things": {"get": {}}}, securityDefinitions={"it": declared}).auth_schemes == (scheme,)

    def test_a_parameter_that_holds_the_key_is_no_argument(self) -> None:
        root = {"securityDefinitions": {"it": {"type": "apiKey", "in": "query", "name": "key"}}}
        assert read_one(query("key"), query("page"), root=root).input_schema["properties"] == {
            "page": {"type": "string"}
        }

    @pytest.mark.parametrize("location", ["query", "header", "formData"])
    def test_the_token_of_an_oauth_flow_is_no_argument_but_the_account_s(self, location: str) -> None:
        operation = {"parameters": [{**TOKEN, "in": location}], "security": [{"it": ["read"]}]}
        catalog = read({"/things": {"post": operation}}, securityDefinitions={"it": OAUTH})
        assert catalog.tools[0].input_schema["properties"] == {}
        assert [it.kind for it in catalog.auth_schemes] == [AuthKind.OAUTH2, AuthKind.BEARER]

    @pytest.mark.parametrize(
        ("token", "security"),
        [
            ({**TOKEN, "description": "The token to revoke."}, [{"it": ["read"]}]),
            ({**TOKEN, "name": "page_token"}, [{"it": ["read"]}]),
            (TOKEN, [{"key": []}]),
        ],
    )
    def test_any_other_token_stays_an_argument(self, token: Node, security: Any) -> None:
        root = {"securityDefinitions": {"it": OAUTH, "key": {"type": "basic"}}}
        assert list(read_one(token, security=security, root=root).input_schema["properties"]) == [token["name"]]


EVERYTHING: Node = {
    "swagger": "2.0",
    "host": "a.example",
    "basePath": "/v1",
    "schemes": ["https"],
    "consumes": ["application/json"],
    "security": [{"oauth": []}],
    "securityDefinitions": {"oauth": OAUTH, "basic": {"type": "basic"}},
    "parameters": {"Id": {"name": "id", "in": "path", "type": "string", "required": True}, "Thing": body({})},
    "definitions": {"Thing": {"type": "object", "properties": {"name": {"type": "string", "x-nullable": True}}}},
    "paths": {
        "/things/{id}": {
            "parameters": [{"$ref": "#/parameters/Id"}],
            "put": {
                "consumes": ["application/json"],
                "schemes": ["https"],
                "parameters": [body({"$ref": "#/definitions/Thing"}), TOKEN],
                "security": [{"oauth": ["read"]}],
            },
            "post": {
                "parameters": [
                    field("file", "file", required=True),
                    field("tags", "array", collectionFormat="multi", items={"type": "string"}),
                    query("ids", "array", items={"type": "array", "items": {"type": "string"}}),
                ]
            },
        }
    },
}


@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_nonsense_in_any_place_is_read_or_refused_and_never_a_crash(junk: Any) -> None:
    assert_read_or_refused(EVERYTHING, junk)
