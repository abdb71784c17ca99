"""Parameters and bodies as the arguments of one tool, and the binding that sends them."""

import pytest

from connectors.binding import Binding, Body, Location, Parameter
from tests.connectors.catalog.documents import Node, http, json_body, query, read, read_one

TEXT: Node = {"type": "string"}


def _bound(argument: str, name: str, location: Location, style: str, *, explode: bool = False) -> Parameter:
    return Parameter(argument=argument, name=name, location=location, style=style, explode=explode)


def test_parameters_of_every_place_and_a_body_become_one_schema_and_a_binding() -> None:
    tool = read_one(
        {
            "parameters": [
                {"name": "X-Trace", "in": "header", "schema": TEXT},
                {"name": "session", "in": "cookie", "schema": TEXT},
                query(
                    "expand",
                    {"type": "array", "items": TEXT},
                    required=True,
                    description="What to <i>show</i>.",
                ),
                {"name": "ticket_id", "in": "path", "required": True, "schema": {"type": "integer"}},
            ],
            **json_body({"type": "object", "required": ["note"], "properties": {"note": TEXT, "private": {}}}),
        },
        path="/tickets/{ticket_id}/notes",
    )
    assert tool.input_schema == {
        "type": "object",
        "properties": {
            "ticket_id": {"type": "integer"},
            "expand": {"type": "array", "items": TEXT, "description": "What to show."},
            "X-Trace": TEXT,
            "session": TEXT,
            "note": TEXT,
            "private": {},
        },
        "required": ["ticket_id", "expand", "note"],
        "additionalProperties": False,
    }
    assert tool.binding == Binding(
        method="POST",
        path="/tickets/{ticket_id}/notes",
        parameters=(
            _bound("ticket_id", "ticket_id", Location.PATH, "simple"),
            _bound("expand", "expand", Location.QUERY, "form", explode=True),
            _bound("X-Trace", "X-Trace", Location.HEADER, "simple"),
            _bound("session", "session", Location.COOKIE, "form", explode=True),
        ),
        body=Body(
            media_type="application/json",
            required=True,
            properties=(("note", "note"), ("private", "private")),
        ),
    )
    assert Binding.from_json(tool.binding.to_json()) == tool.binding


def test_one_name_in_three_places_is_told_apart_by_the_place() -> None:
    tool = read_one(
        {"parameters": [query("id")], **json_body({"type": "object", "properties": {"id": TEXT}})},
        path="/tickets/{id}",
    )
    assert list(tool.input_schema["properties"]) == ["id", "id_in_query", "id_in_body"]
    assert [(it.argument, it.name) for it in http(tool).parameters] == [("id", "id"), ("id_in_query", "id")]
    body = http(tool).body
    assert body is not None
    assert body.properties == (("id_in_body", "id"),)


def test_names_that_clients_refuse_are_rewritten_and_kept_on_the_wire() -> None:
    names = ["filter[status]", "$top", "ids[]", "page.size", "filter_status", "名", "x" * 70, "x" * 71]
    tool = read_one({"parameters": [query(name) for name in names]}, method="get")
    arguments = [it.argument for it in http(tool).parameters]
    assert arguments[:6] == ["filter_status", "top", "ids", "page.size", "filter_status_in_query", "argument"]
    assert arguments[6:] == ["x" * 64, "x" * 55 + "_in_query"]
    assert [it.name for it in http(tool).parameters] == names


def test_an_operation_overrides_what_its_path_declares_by_name_and_place() -> None:
    tool = read_one(
        {"parameters": [query("limit", {"type": "integer"})]},
        path_item={"parameters": [query("limit"), query("cursor"), {"$ref": "#/components/parameters/Id"}]},
        path="/tickets/{id}",
        components={"parameters": {"Id": {"name": "id", "in": "path", "schema": {"type": "integer"}}}},
    )
    assert tool.input_schema["properties"] == {
        "id": {"type": "integer"},
        "limit": {"type": "integer"},
        "cursor": TEXT,
    }


def test_a_placeholder_nobody_declares_is_an_argument_and_a_path_parameter_without_one_is_none() -> None:
    tool = read_one(
        {"parameters": [{"name": "gone", "in": "path", "schema": TEXT}]},
        method="get",
        path="/tickets/{ticket_id}",
    )
    assert tool.input_schema["properties"] == {"ticket_id": TEXT}
    assert tool.input_schema["required"] == ["ticket_id"]


def test_style_explode_and_content_reach_the_binding() -> None:
    tool = read_one(
        {
            "parameters": [
                query("tags", {"type": "array"}, style="pipeDelimited", explode=False),
                query("created", {"type": "object"}, style="deepObject", allowReserved=True),
                {
                    "name": "where",
                    "in": "query",
                    "content": {"application/json": {"schema": {"type": "object"}}},
                },
                query("odd", style="nonsense"),
            ]
        },
        method="get",
    )
    tags, created, where, odd = http(tool).parameters
    assert (tags.style, tags.explode) == ("pipeDelimited", False)
    assert (created.style, created.allow_reserved) == ("deepObject", True)
    assert where.media_type == "application/json"
    assert tool.input_schema["properties"]["where"] == {"type": "object"}
    assert (odd.style, odd.explode) == ("form", True)


@pytest.mark.parametrize(
    "header",
    ["Accept", "content-type", "AUTHORIZATION", "Host", "Content-Length", "Content-Encoding", "Cookie", "User-Agent"],
)
def test_headers_that_are_not_a_caller_s_to_set_are_no_arguments(header: str) -> None:
    tool = read_one({"parameters": [{"name": header, "in": "header", "required": True, "schema": TEXT}]})
    assert tool.input_schema["properties"] == {}
    assert http(tool).parameters == ()


def test_a_parameter_that_carries_the_account_s_key_is_no_argument() -> None:
    scheme = {"type": "apiKey", "in": "query", "name": "api_token"}
    tool = read_one(
        {"parameters": [query("api_token", required=True), query("name")]},
        components={"securitySchemes": {"key": scheme}},
    )
    assert list(tool.input_schema["properties"]) == ["name"]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "default": "2026-03-11"},
        {"type": "string", "enum": ["2026-03-11"]},
        {"const": "2026-03-11"},
        {"$ref": "#/components/schemas/Version"},
    ],
)
def test_a_version_header_with_one_right_value_is_sent_and_never_asked_for(schema: Node) -> None:
    tool = read_one(
        {"parameters": [{"name": "Notion-Version", "in": "header", "required": True, "schema": schema}]},
        components={"schemas": {"Version": {"enum": ["2025-09-03", "2026-03-11"], "default": "2026-03-11"}}},
    )
    assert http(tool).headers == (("Notion-Version", "2026-03-11"),)
    assert tool.input_schema["properties"] == {}


@pytest.mark.parametrize(
    ("schema", "headers"),
    [
        ({"type": "string", "enum": ["application/pdf"]}, (("Accept", "application/pdf"),)),
        ({"type": "string", "enum": ["application/json", "text/csv"], "default": "text/csv"}, ()),
    ],
)
def test_the_one_kind_of_answer_there_is_is_asked_for(schema: Node, headers: tuple[tuple[str, str], ...]) -> None:
    tool = read_one({"parameters": [{"name": "Accept", "in": "header", "schema": schema}]})
    assert http(tool).headers == headers
    assert tool.input_schema["properties"] == {}


def test_other_headers_stay_arguments() -> None:
    choice = {"type": "string", "enum": ["1", "2"]}
    tool = read_one(
        {
            "parameters": [
                {"name": "X-Api-Version", "in": "header", "schema": choice},
                {
                    "name": "X-Tenant",
                    "in": "header",
                    "required": True,
                    "schema": {"type": "string", "default": "a"},
                },
            ]
        }
    )
    assert list(tool.input_schema["properties"]) == ["X-Api-Version", "X-Tenant"]
    assert http(tool).headers == ()


PLAIN: Node = {"type": "object", "properties": {"name": TEXT}}


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        (PLAIN, ["name"]),
        ({"properties": {"name": TEXT}}, ["name"]),
        ({**PLAIN, "additionalProperties": False}, ["name"]),
        ({"$ref": "#/components/schemas/Named"}, ["name"]),
        ({"oneOf": [{"$ref": "#/components/schemas/Named"}]}, ["name"]),
        ({"allOf": [{"$ref": "#/components/schemas/Named"}, {"properties": {"age": {}}}]}, ["name", "age"]),
        ({"type": ["object", "null"], "properties": {"name": TEXT}}, ["name"]),
        ({"type": "array", "items": TEXT}, ["body"]),
        ({"type": "string"}, ["body"]),
        ({"type": "object"}, ["body"]),
        ({"oneOf": [PLAIN, {"type": "array"}]}, ["body"]),
        ({**PLAIN, "anyOf": [{"required": ["name"]}, {"required": ["id"]}]}, ["body"]),
        ({**PLAIN, "additionalProperties": {"type": "string"}}, ["body"]),
        ({**PLAIN, "additionalProperties": True}, ["body"]),
        ({"allOf": [PLAIN, {"oneOf": [PLAIN, PLAIN]}]}, ["body"]),
        ({"$ref": "#/components/schemas/Itself"}, ["body"]),
        ({"$ref": "#/nowhere"}, ["body"]),
        ({}, ["body"]),
        (None, ["body"]),
    ],
)
def test_a_plain_object_is_arguments_and_any_other_body_is_one(schema: Node, arguments: list[str]) -> None:
    schemas = {"Named": PLAIN, "Itself": {"allOf": [{"$ref": "#/components/schemas/Itself"}]}}
    tool = read_one(json_body(schema), components={"schemas": schemas})
    assert list(tool.input_schema["properties"]) == arguments
    body = http(tool).body
    assert body is not None
    assert body.argument == ("body" if arguments == ["body"] else "")


def test_parts_of_a_body_are_merged_with_what_they_require() -> None:
    parts = [
        {"required": ["a"], "properties": {"a": TEXT, "b": TEXT}},
        {"properties": {"b": {"type": "integer"}}},
    ]
    tool = read_one(json_body({"allOf": parts, "required": ["b"], "properties": {"c": TEXT}}))
    assert tool.input_schema["properties"] == {"a": TEXT, "b": {"type": "integer"}, "c": TEXT}
    assert tool.input_schema["required"] == ["a", "b"]


def test_an_optional_body_of_one_argument_is_optional() -> None:
    tool = read_one(json_body({"type": "array"}, required=False))
    assert "required" not in tool.input_schema
    assert http(tool).body == Body(media_type="application/json", required=False, argument="body")


@pytest.mark.parametrize(
    ("offered", "sent"),
    [
        (["text/plain", "application/json"], "application/json"),
        (["application/json; charset=utf-8"], "application/json"),
        (["application/xml", "application/merge-patch+json"], "application/merge-patch+json"),
        (["application/merge-patch+json", "Application/JSON"], "application/json"),
        (["multipart/form-data", "application/x-www-form-urlencoded"], "multipart/form-data"),
        (["*/*"], "application/json"),
    ],
)
def test_json_is_sent_where_it_is_offered(offered: list[str], sent: str) -> None:
    content = {media_type: {"schema": PLAIN} for media_type in offered}
    tool = read_one({"requestBody": {"content": content}})
    body = http(tool).body
    assert body is not None
    assert body.media_type == sent
    assert list(tool.input_schema["properties"]) == ["name"]


@pytest.mark.parametrize("media_type", ["text/csv", "application/xml", "application/x-yaml", "text/*"])
def test_a_body_of_text_is_one_text(media_type: str) -> None:
    tool = read_one(json_body(PLAIN, media_type=media_type))
    kind = media_type.replace("*", "plain")
    assert tool.input_schema["properties"] == {
        "body": {"type": "string", "description": f"The request body, as {kind}."}
    }
    assert http(tool).body == Body(media_type=kind, required=True, argument="body")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"requestBody": {"$ref": "#/components/requestBodies/Gone"}}, "leads to nothing in this document"),
        ({"requestBody": {"description": "?"}}, "its request body has no content"),
        ({"requestBody": {"content": {"default": {}}}}, "its request body has no media type but 'default'"),
        (
            json_body({"type": "array"}, media_type="multipart/form-data"),
            "its request body is a form that names no fields",
        ),
    ],
)
def test_a_body_that_cannot_be_understood_skips_its_operation_alone(body: Node, reason: str) -> None:
    catalog = read({"/a": {"post": {"operationId": "makeA", **body}}, "/b": {"get": {}}})
    assert [it.operation for it in catalog.tools] == ["GET /b"]
    (skipped,) = catalog.skipped
    assert skipped.operation == "makeA"
    assert reason in skipped.reason


def test_a_body_with_no_content_at_all_is_no_body() -> None:
    assert http(read_one({"requestBody": {"content": {}}})).body is None
