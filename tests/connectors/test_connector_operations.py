"""What is told of one connector: its tools by effect, hosts, sign-in and limits; never what a rule withholds."""

from typing import Any

import pytest

from accesscontrol.models import Grant, Member, Organization, Restriction, Surface
from accesscontrol.services import restrictions
from connectors.connector_operations import MAX_NAMES
from connectors.models import Connector
from tests import cast
from tests.connectors.sharing import refusal
from tests.connectors.toolboxes import freeze, toolbox
from tests.search.mcp.rpc import Rpc

GET = "elaichi__connector__get"


@pytest.fixture
def notion(acme: Organization) -> Connector:
    made = cast.connector(acme, hosts=["files.notion.com"], calls_per_minute=180)
    for name, method in (("list_pages", "GET"), ("create_page", "POST"), ("delete_page", "DELETE")):
        cast.tool(made, name, method=method)
    cast.tool(made, "old_page", enabled=False)
    return made


@pytest.fixture
def rpc(bob: Member) -> Rpc:
    return Rpc(cast.token(bob))


def got(rpc: Rpc, **arguments: Any) -> dict[str, Any]:
    return dict(rpc.call(GET, **{"connector": "notion", **arguments})["structuredContent"])


def block(member: Member, **named: Any) -> None:
    restrictions.create(subject=member, mode=Restriction.Mode.BLOCK, surface=Surface.SYSTEM, **named)


def test_it_says_what_its_tools_do_and_where_calls_go(rpc: Rpc, notion: Connector) -> None:
    assert got(rpc) == {
        "slug": "notion",
        "label": "Notion",
        "kind": "openapi",
        "hosts": ["127.0.0.1:9", "files.notion.com"],
        "auth": "bearer",
        "limits": {"calls_at_a_time": 10, "calls_per_minute": 180},
        "tools": {"reads": ["list_pages"], "writes": ["create_page"], "deletes": ["delete_page"]},
    }
    assert got(rpc, connector="NOTION", q="Delete")["tools"] == {"deletes": ["delete_page"]}


def test_a_tool_that_is_withheld_is_left_out_and_so_is_a_whole_connector(
    rpc: Rpc, notion: Connector, bob: Member
) -> None:
    block(bob, tools=["notion.delete_page"])
    assert "deletes" not in got(rpc)["tools"]
    block(bob, connectors=["notion"])
    assert refusal(rpc, GET, connector="notion") == refusal(rpc, GET, connector="no_such")


def test_a_client_that_is_confined_to_toolboxes_hears_of_their_tools_alone(
    rpc: Rpc, notion: Connector, bob: Member
) -> None:
    box = toolbox(bob)
    freeze(box, notion, "list_pages")
    Grant.objects.filter(member=bob).update(toolboxes=[box.pk])
    assert got(rpc)["tools"] == {"reads": ["list_pages"]}


def test_of_very_many_tools_the_first_are_named(rpc: Rpc, notion: Connector) -> None:
    for number in range(MAX_NAMES):
        cast.tool(notion, f"read_{number:03}")
    found = got(rpc)
    assert (sum(map(len, found["tools"].values())), found["more_tools"]) == (MAX_NAMES, 3)
    assert got(rpc, q="read_199")["tools"] == {"reads": ["read_199"]}


@pytest.mark.parametrize("verb", ["create", "import", "update", "delete", "fork"])
def test_what_a_person_does_in_the_admin_says_where(rpc: Rpc, verb: str) -> None:
    error = refusal(rpc, f"elaichi__connector__{verb}")
    assert error["code"] == "only_in_admin"
    assert error["where"].endswith("/admin/connectors/connector/")
