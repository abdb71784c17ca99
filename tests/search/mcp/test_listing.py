"""tools/list: the two doors and the operations, in a fixed order, and never a connected tool."""

import re

import pytest

from accesscontrol.models import Member
from accesscontrol.permissions import Scope
from connectors.models import Connector
from tests import cast
from tests.search.mcp.rpc import LEGACY, Rpc

OPERATIONS = ["elaichi__connection__list", "elaichi__connector__list", "elaichi__member__list"]


def names(rpc: Rpc) -> list[str]:
    return [tool["name"] for tool in rpc.result("tools/list")["tools"]]


@pytest.mark.requirement("S1", "S4", "S5")
def test_connected_tools_are_never_listed_and_the_order_is_fixed(rpc: Rpc) -> None:
    assert names(rpc) == ["search_tools", "execute_tool", *OPERATIONS]
    assert names(rpc) == names(rpc)


@pytest.mark.requirement("S1")
def test_one_connected_tool_is_not_listed_either(bob: Member) -> None:
    connector = cast.connector(bob.organization)
    cast.tool(connector, "create_page")
    cast.connection(bob, connector)
    assert names(Rpc(cast.token(bob))) == ["search_tools", "execute_tool", *OPERATIONS]


def test_without_any_connected_tool_the_doors_are_not_listed(bob: Member) -> None:
    assert names(Rpc(cast.token(bob))) == OPERATIONS


def test_a_token_without_scopes_for_tools_or_reading_lists_less(notion: Connector, bob: Member) -> None:
    assert names(Rpc(cast.token(bob, scopes=[Scope.READ]))) == OPERATIONS
    assert names(Rpc(cast.token(bob, scopes=[Scope.TOOLS]))) == ["search_tools", "execute_tool"]


def test_a_role_lists_only_the_operations_that_it_permits(bob: Member) -> None:
    guest = cast.member(bob.organization, "gus", "guest")
    assert names(Rpc(cast.token(guest))) == OPERATIONS[:2]


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
