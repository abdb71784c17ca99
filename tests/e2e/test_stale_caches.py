"""Two web processes, each with caches of its own: neither serves what a commit elsewhere has taken away."""

from typing import Any

import httpx2
import pytest

from accesscontrol.models import Member, Restriction, Surface
from accesscontrol.services import restrictions
from connectors.models import Connection
from tests import cast
from tests.e2e.conftest import Gateway


def search(gateway: Gateway, token: str, query: str = "create ticket") -> dict[str, Any]:
    call = {"name": "search_tools", "arguments": {"query": query, "limit": 50}}
    answer = httpx2.post(
        gateway.mcp,
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
        headers={"Authorization": f"Bearer {token}"},
    )
    content: dict[str, Any] = answer.json()["result"]["structuredContent"]
    return content


def visible(found: dict[str, Any]) -> set[str]:
    return {row["name"] for row in found["result"] if "restricted" not in row}


@pytest.mark.requirement("S18", "S19")
def test_a_rule_is_obeyed_and_lifted_by_both_at_once(gateway: Gateway, second_gateway: Gateway, dora: Member) -> None:
    token = cast.token(dora)
    both = (gateway, second_gateway)
    for _ in range(5):
        assert all("deskline_create_ticket" in visible(search(each, token)) for each in both)
        rule = restrictions.create(
            subject=dora, mode=Restriction.Mode.BLOCK, tools=["deskline.create_ticket"], surface=Surface.SYSTEM
        )
        assert not any("deskline_create_ticket" in visible(search(each, token)) for each in both)
        restrictions.delete(restriction=rule, surface=Surface.SYSTEM)


@pytest.mark.requirement("S23")
def test_two_members_who_differ_in_reach_get_different_pools_from_the_same_process(
    gateway: Gateway, dora: Member
) -> None:
    dan = cast.member(dora.organization, "dan")
    ledgerbox = Connection.objects.get(owner=dora, connector__slug="ledgerbox").connector
    cast.connection(dan, ledgerbox, "Acme", credential={"key": "demo-ledgerbox-acme"})
    first, second = search(gateway, cast.token(dora)), search(gateway, cast.token(dan))
    assert first["total_tools"] > second["total_tools"]
    assert not [name for name in visible(second) if name.startswith("deskline")]
