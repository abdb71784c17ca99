"""search_tools: what this caller may call, ranked; what a rule withholds, named; nothing else."""

import jsonschema_rs
import pytest

from accesscontrol.models import Member, Restriction, Surface
from accesscontrol.services import restrictions
from connectors.models import Connection, Connector
from search.mcp.meta_tools import SEARCH_OUTPUT_SCHEMA
from tests import cast
from tests.search.mcp.rpc import Rpc


def row_names(found: dict[str, object]) -> list[str]:
    rows = found["result"]
    assert isinstance(rows, list)
    return [row["name"] for row in rows]


def restrict(subject: Member, *tools: str) -> Restriction:
    return restrictions.create(subject=subject, mode=Restriction.Mode.BLOCK, tools=tools, surface=Surface.SYSTEM)


@pytest.mark.requirement("S2", "S28")
def test_a_search_returns_a_short_ranked_list_with_schemas(rpc: Rpc) -> None:
    found = rpc.found("create page")
    assert found["result"][0] == {
        "name": "notion_create_page",
        "description": "Create a page",
        "input_schema": {"type": "object", "properties": {}},
        "annotations": {
            "title": "create_page",
            "readOnlyHint": False,
            "destructiveHint": False,
            "idempotentHint": False,
            "openWorldHint": True,
        },
        "connector_label": "Notion",
    }
    assert found["total_tools"] == 4
    assert found["matched"] == len(found["result"])
    assert found["restricted_count"] == 0
    assert row_names(rpc.found("page", limit=1)) == row_names(rpc.found("page"))[:1]


def test_the_answer_fits_its_output_schema_and_says_the_same_as_text(rpc: Rpc) -> None:
    result = rpc.call("search_tools", query="create page")
    assert jsonschema_rs.is_valid(SEARCH_OUTPUT_SCHEMA, result["structuredContent"])
    assert "notion_create_page" in result["content"][0]["text"]


@pytest.mark.requirement("S13", "S14")
def test_an_app_that_is_not_connected_comes_back_empty_and_says_so(rpc: Rpc) -> None:
    found = rpc.found("list_all_cal_com_schedules")
    assert found["result"] == []
    assert found["matched"] == 0
    assert "note" in found
    assert row_names(rpc.found("list_all_notion_users"))[0] == "notion_list_users"


@pytest.mark.requirement("S6")
@pytest.mark.parametrize("status", [s for s in Connection.Status if s != Connection.Status.ACTIVE])
def test_only_an_active_connection_contributes_tools(notion: Connector, bob: Member, status: Connection.Status) -> None:
    Connection.objects.filter(owner=bob).update(status=status)
    found = Rpc(cast.token(bob)).found("create page")
    assert found["result"] == []
    assert found["total_tools"] == 0


@pytest.mark.requirement("S6", "S23")
def test_members_see_their_own_pools(notion: Connector, bob: Member, charlie: Member) -> None:
    bea = cast.member(bob.organization, "bea")
    zendesk = cast.connector(bob.organization, "zendesk", "Zendesk")
    cast.tool(zendesk, "create_ticket", "Create a ticket", method="POST")
    cast.connection(bea, zendesk)
    assert row_names(Rpc(cast.token(bea)).found("create ticket")) == ["zendesk_create_ticket"]
    assert row_names(Rpc(cast.token(bob)).found("create ticket")) != ["zendesk_create_ticket"]
    assert Rpc(cast.token(charlie)).found("create page")["total_tools"] == 0


@pytest.mark.requirement("S19", "S20")
def test_a_restricted_tool_is_named_without_a_schema_and_is_not_in_the_pool(rpc: Rpc, bob: Member) -> None:
    restrict(bob, "notion.create_page")
    found = rpc.found("create page")
    restricted = [row for row in found["result"] if "restricted" in row]
    assert restricted == [
        {
            "name": "notion_create_page",
            "connector_label": "Notion",
            "restricted": {
                "by": "user",
                "scope": "tool",
                "request_access": {
                    "operation": "elaichi__access_request__create",
                    "arguments": {"connector": "notion", "tool": "create_page"},
                },
            },
        }
    ]
    assert found["restricted_count"] == 1
    assert found["total_tools"] == 3


@pytest.mark.requirement("S20")
def test_a_connector_that_is_withheld_whole_is_one_row(rpc: Rpc, bob: Member) -> None:
    restrictions.create(subject=bob.role, mode=Restriction.Mode.BLOCK, connectors=["notion"], surface=Surface.SYSTEM)
    found = rpc.found("page")
    assert found["result"] == [
        {
            "name": "notion",
            "connector_label": "Notion",
            "restricted": {
                "by": "role",
                "scope": "connector",
                "request_access": {
                    "operation": "elaichi__access_request__create",
                    "arguments": {"connector": "notion"},
                },
            },
        }
    ]
    assert found["restricted_count"] == 3


@pytest.mark.requirement("S18", "S19")
def test_the_next_search_reflects_a_rule_and_its_end(rpc: Rpc, bob: Member) -> None:
    assert rpc.found("create page")["restricted_count"] == 0
    rule = restrict(bob, "notion.create_page")
    assert rpc.found("create page")["restricted_count"] == 1
    restrictions.delete(restriction=rule, surface=Surface.SYSTEM)
    assert row_names(rpc.found("create page"))[0] == "notion_create_page"


@pytest.mark.requirement("S4")
def test_search_never_returns_an_operation(rpc: Rpc) -> None:
    for query in ("elaichi member list", "elaichi__member__list", ""):
        assert not [name for name in row_names(rpc.found(query, limit=50)) if name.startswith("elaichi__")]


@pytest.mark.requirement("S16")
def test_two_accounts_of_one_app_are_one_tool_that_asks_which(notion: Connector, bob: Member) -> None:
    cast.connection(bob, notion, "Second")
    rows = Rpc(cast.token(bob)).found("create page")["result"]
    assert [row["name"] for row in rows].count("notion_create_page") == 1
    assert rows[0]["connections"] == ["Main", "Second"]
    assert rows[0]["description"] == "Create a page Set `connection` to one of: Main and Second."
    assert rows[0]["input_schema"]["required"] == ["connection"]
    assert rows[0]["input_schema"]["properties"]["connection"]["enum"] == ["Main", "Second"]


@pytest.mark.requirement("S26")
def test_hundreds_of_tools_over_several_accounts_are_searched_as_one_pool(bob: Member) -> None:
    for slug in ("alpha", "beta", "gamma"):
        connector = cast.connector(bob.organization, slug, slug.title())
        for number in range(150):
            cast.tool(connector, f"list_{slug}_records_{number}", f"List the records of shelf {number}")
        for account in ("North", "South"):
            cast.connection(bob, connector, account)
    found = Rpc(cast.token(bob)).found("list beta records 77")
    assert found["total_tools"] == 450
    assert row_names(found)[0] == "list_beta_records_77"
    assert found["result"][0]["connections"] == ["North", "South"]


def test_a_query_of_a_megabyte_is_read_in_part_and_says_so(rpc: Rpc) -> None:
    assert "too long" in rpc.found("page " * 200_000)["note"]


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({}, "query"),
        ({"query": 1}, "query"),
        ({"query": "x", "limit": 51}, "limit"),
        ({"query": "x", "how": 1}, "how"),
    ],
)
def test_arguments_that_do_not_fit_are_named(rpc: Rpc, arguments: dict[str, object], path: str) -> None:
    result = rpc.result("tools/call", {"name": "search_tools", "arguments": arguments})
    assert result["isError"]
    error = result["structuredContent"]["error"]
    assert error["code"] == "invalid_arguments"
    assert [problem["path"] for problem in error["problems"]] == [path]


def test_ten_rows_with_the_largest_schemas_are_an_answer_that_a_model_can_read(bob: Member) -> None:
    """At most 6,000 tokens, by four characters each; every row still names what a call must give."""
    connector = cast.connector(bob.organization)
    cast.connection(bob, connector, "Main")
    cast.connection(bob, connector, "Second")
    properties = {
        f"field_{number}": {
            "type": "object",
            "description": "What it is. " * 20,
            "properties": {"a": {"type": "string"}},
        }
        for number in range(150)
    }
    schema = {"type": "object", "properties": properties, "required": ["field_7", "field_149"]}
    for number in range(12):
        small = number % 3 == 0
        cast.tool(
            connector,
            f"update_page_{number}",
            "Updates a page. " * 60,
            method="PATCH",
            input_schema={"type": "object", "properties": {"id": {"type": "string"}}} if small else schema,
        )
    result = Rpc(cast.token(bob)).call("search_tools", query="update page")
    rows = result["structuredContent"]["result"]
    assert len(rows) == 10
    assert len(result["content"][0]["text"]) / 4 <= 6_000
    large = [row["input_schema"] for row in rows if "id" not in row["input_schema"]["properties"]]
    assert all(schema["required"] == ["connection", "field_7", "field_149"] for schema in large)
    assert all({"connection", "field_7", "field_149"} <= schema["properties"].keys() for schema in large)
    assert all(schema["x_truncated"] for schema in large)
