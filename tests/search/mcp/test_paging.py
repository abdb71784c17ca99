"""Pages of a search: cursors that fit one member, one question and one state of the pool."""

from typing import Any

import pytest

from accesscontrol.models import Member, Restriction, Surface
from accesscontrol.services import restrictions
from connectors.models import Connector
from tests import cast
from tests.search.mcp.rpc import Rpc


@pytest.fixture
def library(bob: Member) -> Connector:
    connector = cast.connector(bob.organization, "library", "Library")
    for number in range(60):
        cast.tool(connector, f"list_books_of_shelf_{number:02}", "List the books of a shelf")
    cast.connection(bob, connector)
    return connector


def problem(answer: dict[str, Any]) -> str:
    reason: str = answer["structuredContent"]["error"]["problems"][0]["reason"]
    return reason


def test_pages_together_hold_every_match_once_and_in_order(library: Connector, bob: Member) -> None:
    rpc = Rpc(cast.token(bob))
    whole = [row["name"] for row in rpc.found("list books", limit=50)["result"]]
    paged: list[str] = []
    cursor = ""
    while True:
        found = rpc.found("list books", limit=7, cursor=cursor)
        paged += [row["name"] for row in found["result"]]
        if "next_cursor" not in found:
            break
        cursor = found["next_cursor"]
    assert found["matched"] == len(paged) == len(set(paged)) == 60
    assert paged[:50] == whole


def test_a_cursor_of_another_question_or_member_is_refused(library: Connector, bob: Member) -> None:
    bea = cast.member(bob.organization, "bea")
    cast.connection(bea, library)
    rpc = Rpc(cast.token(bob))
    cursor = rpc.found("list books", limit=5)["next_cursor"]
    assert "another search" in problem(rpc.call("search_tools", query="list shelves", cursor=cursor))
    assert "another search" in problem(rpc.call("search_tools", query="list books", detail="summary", cursor=cursor))
    assert "another search" in problem(Rpc(cast.token(bea)).call("search_tools", query="list books", cursor=cursor))
    assert "not one that" in problem(rpc.call("search_tools", query="list books", cursor=cursor + "x"))


def test_a_cursor_goes_stale_when_what_can_be_reached_changes(library: Connector, bob: Member) -> None:
    rpc = Rpc(cast.token(bob))
    cursor = rpc.found("list books", limit=5)["next_cursor"]
    restrictions.create(
        subject=bob, mode=Restriction.Mode.BLOCK, tools=["library.list_books_of_shelf_01"], surface=Surface.SYSTEM
    )
    assert "out of date" in problem(rpc.call("search_tools", query="list books", cursor=cursor))


def test_restricted_rows_come_with_the_first_page_alone(library: Connector, bob: Member) -> None:
    restrictions.create(
        subject=bob, mode=Restriction.Mode.BLOCK, tools=["library.list_books_of_shelf_01"], surface=Surface.SYSTEM
    )
    rpc = Rpc(cast.token(bob))
    first = rpc.found("list books", limit=5)
    second = rpc.found("list books", limit=5, cursor=first["next_cursor"])
    assert [bool(row.get("restricted")) for row in first["result"]] == [False] * 5 + [True]
    assert not [row for row in second["result"] if "restricted" in row]
    assert second["restricted_count"] == 1


def test_a_summary_says_what_there_is_without_schemas(library: Connector, bob: Member) -> None:
    row = Rpc(cast.token(bob)).found("list_books_of_shelf_07", detail="summary")["result"][0]
    assert row == {
        "name": "library_list_books_of_shelf_07",
        "description": "List the books of a shelf",
        "connector_label": "Library",
    }


def test_a_large_schema_arrives_trimmed_and_the_call_is_checked_against_the_whole(bob: Member) -> None:
    connector = cast.connector(bob.organization)
    properties = {f"field_{n}": {"type": "string", "description": "words " * 40} for n in range(200)}
    schema = {"type": "object", "properties": properties, "required": ["field_150"], "additionalProperties": False}
    cast.tool(connector, "create_page", "Create a page", method="POST", input_schema=schema)
    cast.connection(bob, connector)
    rpc = Rpc(cast.token(bob))
    shown = rpc.found("create page")["result"][0]["input_schema"]
    assert shown["x_truncated"] is True
    assert "field_150" in shown["properties"]
    error = rpc.call("notion_create_page", field_1="x")["structuredContent"]["error"]
    assert error["problems"] == [{"path": "/field_150", "reason": "is required"}]
