"""What becomes of the tools that a remote MCP server lists."""

from typing import Any

import pytest

from connectors.auth_scheme import AuthKind, AuthScheme
from connectors.catalog.document import Catalog
from connectors.catalog.mcp import reader
from connectors.execution import mcp_listing
from connectors.execution.errors import UpstreamError
from connectors.execution.mcp_session import Server
from connectors.mcp_binding import McpBinding
from tests.connectors.mcp.server import LEGACY, MODERN, RpcError, Scripted

NONE = (AuthScheme(kind=AuthKind.NONE),)


def read(url: str) -> Catalog:
    return reader.read_mcp(Server(url=url), auth_schemes=NONE, hop_check=lambda url: None)


def page(*names: str, **more: str) -> dict[str, Any]:
    return {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in names], **more}


def test_a_server_of_today_is_read_in_two_requests(desk_url: str) -> None:
    catalog = read(desk_url)
    assert (catalog.kind, catalog.title, catalog.version, catalog.base_url) == ("mcp", "Desk", "1.2", desk_url)
    move = next(tool for tool in catalog.tools if tool.name == "move_note")
    assert move.binding == McpBinding(tool="moveNote", protocol_version=MODERN)
    assert move.operation == "moveNote"
    assert move.description == "Moves a note to a place."
    assert catalog.skipped == ()


def test_a_server_of_the_older_era_is_greeted_and_read(scripted: Scripted) -> None:
    catalog = read(scripted.endpoint)
    assert catalog.title == "By hand"
    assert [tool.binding for tool in catalog.tools] == [McpBinding(tool="go", protocol_version=LEGACY)]
    assert scripted.methods == ["server/discover", "initialize", "notifications/initialized", "tools/list"]


def test_a_binding_survives_its_way_through_the_database() -> None:
    binding = McpBinding(tool="go", protocol_version=LEGACY)
    assert McpBinding.from_json(binding.to_json()) == binding
    with pytest.raises(TypeError):
        McpBinding.from_json({"method": "GET", "path": "/"})


def test_schemas_keep_their_definitions_and_say_what_they_said(desk_url: str) -> None:
    move = next(tool for tool in read(desk_url).tools if tool.name == "move_note")
    assert move.input_schema["properties"] == {"note": {"$ref": "#/$defs/Note"}, "to": {"$ref": "#/$defs/Place"}}
    assert move.input_schema["required"] == ["note", "to"]
    assert set(move.input_schema["$defs"]) == {"Note", "Place"}
    assert move.input_schema["$defs"]["Note"]["properties"]["places"]["items"] == {"$ref": "#/$defs/Place"}


def test_a_hint_that_is_missing_is_taken_for_the_worst(desk_url: str) -> None:
    found = {tool.name: tool.annotations for tool in read(desk_url).tools}
    assert found["draw"] == {
        "title": "Draw",
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": True,
    }
    assert found["find_note"] == {
        "title": "Find note",
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }
    assert found["move_note"]["title"] == "Move a note"


def test_every_page_is_read(scripted: Scripted) -> None:
    scripted.answers["tools/list"] = [page("a", nextCursor="2"), page("b", nextCursor=""), page("c")]
    assert [tool.name for tool in read(scripted.endpoint).tools] == ["a", "b", "c"]
    cursors = [message.get("params", {}).get("cursor") for message in scripted.asked[-3:]]
    assert cursors == [None, "2", ""]


def test_a_cursor_that_comes_again_is_the_end(scripted: Scripted) -> None:
    scripted.answers["tools/list"] = [page("a", nextCursor="2"), page("b", nextCursor="3"), page("c", nextCursor="2")]
    assert [tool.name for tool in read(scripted.endpoint).tools] == ["a", "b", "c"]


def test_a_listing_without_an_end_is_cut(scripted: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_TOOLS", 3)
    monkeypatch.setattr(mcp_listing, "MAX_PAGES", 5)
    scripted.answers["tools/list"] = [page(f"t{number}", nextCursor=str(number)) for number in range(9)]
    catalog = read(scripted.endpoint)
    assert len(catalog.tools) == 3
    assert catalog.notes == ("The server lists more than 3 tools; the others were left out.",)
    scripted.answers["tools/list"] = [page("same", nextCursor=str(number)) for number in range(9)]
    scripted.asked.clear()
    assert len(read(scripted.endpoint).tools) == 1
    assert scripted.methods.count("tools/list") == 5


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "object"}, {"type": "object", "properties": {}}),
        (
            {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "title": "goArguments"},
            {"type": "object", "properties": {}},
        ),
        (
            {
                "type": "object",
                "properties": {"page": {"$ref": "#/definitions/Page"}},
                "definitions": {"Page": {"type": "integer"}, "Unused": {}},
            },
            {
                "type": "object",
                "properties": {"page": {"$ref": "#/$defs/Page"}},
                "$defs": {"Page": {"type": "integer"}},
            },
        ),
        (
            {
                "type": "object",
                "required": ["kind"],
                "properties": {"kind": {"type": "string"}},
                "oneOf": [
                    {"properties": {"id": {"type": "integer"}}, "required": ["id"], "additionalProperties": False},
                    {"properties": {"name": {"type": "string"}}, "required": ["name"]},
                ],
                "additionalProperties": False,
            },
            {
                "type": "object",
                "properties": {"kind": {"type": "string"}, "id": {"type": "integer"}, "name": {"type": "string"}},
                "required": ["kind"],
            },
        ),
        (
            {
                "type": "object",
                "allOf": [
                    {"$ref": "#/$defs/Paged"},
                    {"properties": {"query": {"type": "string"}}, "required": ["query"]},
                ],
                "$defs": {"Paged": {"properties": {"page": {"type": "integer"}}}},
            },
            {
                "type": "object",
                "properties": {"page": {"type": "integer"}, "query": {"type": "string"}},
                "required": ["query"],
            },
        ),
        (
            {"type": "object", "$ref": "#/$defs/In", "$defs": {"In": {"properties": {"in": {"$ref": "#/$defs/In"}}}}},
            {
                "type": "object",
                "properties": {"in": {"$ref": "#/$defs/In"}},
                "$defs": {"In": {"properties": {"in": {"$ref": "#/$defs/In"}}}},
            },
        ),
        (
            {"type": "object", "properties": {"a": {"$ref": "https://evil.example/schema.json"}}},
            {"type": "object", "properties": {"a": {}}},
        ),
    ],
    ids=["bare", "draft 7", "definitions", "alternatives", "parts", "reference", "elsewhere"],
)
def test_schemas_come_in_the_form_of_every_catalog(
    scripted: Scripted, schema: dict[str, Any], expected: dict[str, Any]
) -> None:
    scripted.answers["tools/list"] = {"tools": [{"name": "go", "inputSchema": schema}]}
    [tool] = read(scripted.endpoint).tools
    assert tool.input_schema == expected


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ({"properties": {"a": {"maximum": float("inf")}}}, "is not of type"),
        ({"properties": {"a": {"enum": [float("nan")]}}}, "not JSON compliant"),
        ({"properties": {"a": {"enum": ["\0"]}}}, "it holds a NUL character"),
    ],
)
def test_a_tool_that_cannot_be_checked_or_stored_is_skipped_with_the_reason(
    scripted: Scripted, bad: dict[str, Any], reason: str
) -> None:
    tools = {"good": {}, "bad": bad}
    scripted.answers["tools/list"] = {
        "tools": [{"name": name, "inputSchema": {"type": "object", **schema}} for name, schema in tools.items()]
    }
    catalog = read(scripted.endpoint)
    assert [tool.name for tool in catalog.tools] == ["good"]
    [skipped] = catalog.skipped
    assert skipped.operation == "bad"
    assert skipped.reason.startswith("its definition is not valid: ")
    assert reason in skipped.reason


def test_what_a_schema_says_wrongly_admits_more(scripted: Scripted) -> None:
    odd = {"a": {"type": "colour", "pattern": "("}, "b": {"$ref": "#/$defs/B"}}
    scripted.answers["tools/list"] = {"tools": [{"name": "go", "inputSchema": {"type": "object", "properties": odd}}]}
    [tool] = read(scripted.endpoint).tools
    assert tool.input_schema == {"type": "object", "properties": {"a": {}, "b": {}}}


@pytest.mark.parametrize(
    ("listed", "named"),
    [
        (["createIssue"], ["create_issue"]),
        (["notion-create-pages"], ["notion_create_pages"]),
        (["API-post-page", "api_post_page"], ["api_post_page", "tool_api_post_page"]),
        (["users.list", "日本"], ["users_list", "tool"]),
    ],
)
def test_names_are_spelled_as_everywhere(scripted: Scripted, listed: list[str], named: list[str]) -> None:
    scripted.answers["tools/list"] = page(*listed)
    assert [tool.name for tool in read(scripted.endpoint).tools] == named


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (RpcError(-32603, "Sorry"), "refused the call: Sorry"),
        ({"tools": [{"name": "go"}]}, "something that is not MCP"),
        ({"nothing": 1}, "something that is not MCP"),
    ],
)
def test_a_listing_that_is_none_is_a_refusal(scripted: Scripted, answer: Any, words: str) -> None:
    scripted.answers["tools/list"] = answer
    with pytest.raises(UpstreamError, match=words):
        read(scripted.endpoint)
