"""A grant that is confined to toolboxes: its client knows their tools, and no other by any path."""

from typing import Any

import pytest

from accesscontrol.audit import CallEntry
from accesscontrol.models import Grant, Member, Organization, Restriction, Surface
from accesscontrol.services import grants, restrictions
from connectors.execution import service
from connectors.execution.errors import UnusableTool
from connectors.files.storing import Origin, store
from connectors.models import Connector, Toolbox
from connectors.services import sharing
from search.pool import pool_of
from tests import cast
from tests.accesscontrol.oauth.dance import Dance
from tests.connectors.sharing import journal, refusal
from tests.connectors.toolboxes import NAME, freeze, share, toolbox
from tests.search.mcp.rpc import Rpc

PLAIN = "deskline_list_tickets"


@pytest.fixture
def box(bob: Member, deskline: Connector) -> Toolbox:
    made = toolbox(bob)
    freeze(made, deskline)
    return made


@pytest.fixture
def other(bob: Member, deskline: Connector) -> Toolbox:
    made = toolbox(bob, "Private")
    freeze(made, deskline, fixed={"project": "WEB"})
    return made


def confined(member: Member, *boxes: Toolbox) -> Rpc:
    token = cast.token(member)
    grant = member.grants.latest("created_at")
    Grant.objects.filter(pk=grant.pk).update(toolboxes=[box.pk for box in boxes])
    return Rpc(token)


def found(rpc: Rpc, query: str = "list tickets", **asked: Any) -> list[str]:
    return [row["name"] for row in rpc.found(query, limit=50, **asked)["result"]]


def is_unknown(rpc: Rpc, name: str) -> bool:
    error = rpc.error(rpc.send("tools/call", {"name": name, "arguments": {}}))
    return bool(error["code"] == -32602) and name not in error["data"].get("nearest", [])


def test_it_finds_and_runs_what_is_in_its_toolbox_and_knows_nothing_else(
    box: Toolbox, other: Toolbox, bob: Member
) -> None:
    rpc = confined(bob, box)
    assert found(rpc) == found(rpc, "") == [NAME]
    assert rpc.found("")["total_tools"] == 1
    assert not rpc.call(NAME)["isError"]
    for name in (PLAIN, "deskline_list_tickets_web", "deskline_create_ticket"):
        assert is_unknown(rpc, name)
        executing = {"name": "execute_tool", "arguments": {"name": name, "arguments": {}}}
        error = rpc.error(rpc.send("tools/call", executing))
        assert set(error.get("data", {}).get("nearest", ())) <= {NAME}


def test_another_grant_of_the_same_member_is_not_affected(box: Toolbox, bob: Member) -> None:
    narrow, wide = confined(bob, box), Rpc(cast.token(bob))
    for _ in range(2):  # in either order: neither is served what was kept for the other
        assert found(narrow) == [NAME]
        assert {PLAIN, NAME} <= set(found(wide))
    assert not wide.call(PLAIN)["isError"]


def test_another_toolbox_is_not_there_for_it(box: Toolbox, other: Toolbox, bob: Member) -> None:
    rpc = confined(bob, box)
    assert found(rpc, toolbox=box.name) == [NAME]
    assert refusal(rpc, "search_tools", query="", toolbox=other.name)["code"] == "not_found"


def test_a_plain_tool_is_not_named_as_restricted_either(box: Toolbox, bob: Member) -> None:
    restrictions.create(
        subject=bob, mode=Restriction.Mode.BLOCK, tools=["deskline.create_ticket"], surface=Surface.SYSTEM
    )
    assert confined(bob, box).found("create ticket")["restricted_count"] == 0
    assert Rpc(cast.token(bob)).found("create ticket")["restricted_count"] == 1


def test_what_it_is_told_of_an_app_does_not_say_that_it_is_not_connected(box: Toolbox, bob: Member) -> None:
    cast.tool(notion := cast.connector(bob.organization), "create_page")
    cast.connection(bob, notion)
    assert confined(bob, box).found("create a Notion page")["note"].startswith("No tool of this toolbox does this.")


def test_a_shared_toolbox_confines_as_an_own_one_and_ends_with_its_share(
    box: Toolbox, deskline: Connector, acme: Organization
) -> None:
    bea = cast.member(acme, "bea")
    cast.connection(bea, deskline, "Bea's", credential={"token": "demo-deskline-acme"})
    share(box, bea)
    rpc = confined(bea, box)
    assert found(rpc) == [NAME]
    sharing.unshare(target=box, grantee=bea, surface=Surface.SYSTEM, actor=box.owner)
    assert not found(rpc)
    assert is_unknown(rpc, NAME)


def test_a_grant_that_is_confined_while_its_call_is_running_sends_nothing_more(
    box: Toolbox, bob: Member, sandbox: str
) -> None:
    caller = grants.authenticate(cast.token(bob))
    tool = pool_of(caller).advertised(PLAIN)
    assert tool is not None
    assert caller.grant_id is not None
    Grant.objects.filter(pk=caller.grant_id).update(toolboxes=[box.pk])
    with pytest.raises(UnusableTool, match="confined"):
        service.execute(caller, tool, {}, CallEntry())
    assert journal(sandbox) == []


def test_a_file_that_came_through_a_plain_tool_is_not_there_for_it(
    box: Toolbox, bob: Member, deskline: Connector
) -> None:
    account = bob.connections.get()
    plain = deskline.tools.get(name="get_ticket")
    file = store(
        member=bob, name="a.txt", media_type="text/plain", data=b"x", origin=Origin(tool=plain, connection=account)
    )
    uri = {"uri": f"elaichi://file/{file.pk}"}
    assert "error" in confined(bob, box).send("resources/read", uri).json()
    assert "result" in Rpc(cast.token(bob)).send("resources/read", uri).json()


def test_the_consent_page_offers_the_toolboxes_that_confine_a_client(box: Toolbox, other: Toolbox, bob: Member) -> None:
    dance = Dance(bob)
    page = dance.opens().content.decode()
    assert box.name in page
    assert other.name in page
    code = dance.answers(form={"only": [str(box.pk)]})["Location"]
    token = dance.exchanges(code.split("code=")[1].split("&")[0]).json()["access_token"]
    assert found(Rpc(token)) == [NAME]
