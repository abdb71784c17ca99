"""tools/list: the two doors and the operations, in a fixed order, and never a connected tool."""

import json
import re
from collections.abc import Collection

import pytest

from accesscontrol.models import Member
from accesscontrol.operation import registry
from accesscontrol.permissions import GUEST, MEMBER, Permission, Scope
from connectors.models import Connector
from tests import cast
from tests.connectors.toolboxes import freeze, share, toolbox
from tests.search.mcp.rpc import LEGACY, Rpc

DOORS = ["search_tools", "execute_tool"]


def permitted(permissions: Collection[Permission], *scopes: Scope) -> list[str]:
    """The operations that a role with these permissions lists, in their fixed order."""
    return [op.name for op in registry if op.permission in (None, *permissions) and op.scope in scopes]


def names(rpc: Rpc) -> list[str]:
    return [tool["name"] for tool in rpc.result("tools/list")["tools"]]


@pytest.mark.requirement("S1", "S4", "S5")
def test_connected_tools_are_never_listed_and_the_order_is_fixed(rpc: Rpc) -> None:
    listed = names(rpc)
    assert listed == [*DOORS, *permitted(MEMBER, *Scope)]
    assert listed[2:] == sorted(listed[2:])
    assert "elaichi__member__list" in listed


@pytest.mark.requirement("S1")
def test_one_connected_tool_is_not_listed_either(bob: Member) -> None:
    connector = cast.connector(bob.organization)
    cast.tool(connector, "create_page")
    cast.connection(bob, connector)
    assert names(Rpc(cast.token(bob))) == [*DOORS, *permitted(MEMBER, *Scope)]


def test_without_any_connected_tool_the_doors_are_not_listed(bob: Member) -> None:
    assert names(Rpc(cast.token(bob))) == permitted(MEMBER, *Scope)


def test_a_token_without_scopes_for_tools_or_reading_lists_less(notion: Connector, bob: Member) -> None:
    assert names(Rpc(cast.token(bob, scopes=[Scope.READ]))) == permitted(MEMBER, Scope.READ)
    assert names(Rpc(cast.token(bob, scopes=[Scope.TOOLS]))) == [*DOORS, *permitted(MEMBER, Scope.TOOLS)]


def test_a_role_lists_only_the_operations_that_it_permits(bob: Member) -> None:
    guest = cast.member(bob.organization, "gus", "guest")
    assert names(Rpc(cast.token(guest))) == permitted(GUEST, *Scope)


def test_every_entry_is_one_that_clients_accept(rpc: Rpc) -> None:
    for tool in rpc.result("tools/list")["tools"]:
        schema = tool["inputSchema"]
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", tool["name"])
        assert schema["type"] == "object"
        assert not {"oneOf", "anyOf", "allOf", "$schema"} & set(schema)
        assert {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} <= set(tool["annotations"])


def test_the_search_tool_names_the_connected_apps(rpc: Rpc) -> None:
    assert "Notion" in rpc.result("tools/list")["tools"][0]["description"]


def test_there_is_one_page(rpc: Rpc) -> None:
    assert "nextCursor" not in rpc.result("tools/list", {"cursor": ""})
    response = rpc.send("tools/list", {"cursor": "2"})
    assert rpc.error(response)["code"] == -32602
    assert response.status_code == (200 if rpc.version == LEGACY else 400)


class TestHowMuchAModelReads:
    """A token is four characters of the list as it is sent."""

    @pytest.mark.parametrize(("role", "bound"), [("member", 2_500), ("org-owner", 6_000)])
    def test_all_entries_fit_into_their_budget(self, notion: Connector, bob: Member, role: str, bound: int) -> None:
        who = cast.member(bob.organization, "walt", role)
        account = cast.connection(who, notion, "Walt's", credential={"token": "a-token-of-walt"})
        box = toolbox(who, skill="Ask first.")
        freeze(box, notion, "create_page", fixed={}, connections=[account])
        share(box, bob)
        share(account, bob)
        share(toolbox(bob, "Of Bob"), who)
        listed = Rpc(cast.token(who)).result("tools/list")["tools"]
        assert listed[0]["name"] == "search_tools"
        sent = json.dumps(listed, ensure_ascii=False, separators=(",", ":"))
        assert sent in Rpc(cast.token(who)).send("tools/list").content.decode()
        assert len(sent) / 4 <= bound
