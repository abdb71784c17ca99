"""Stock clients against the running gateway: they find a tool, run it, and the record is there."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import closing
from typing import Any

import fastmcp
import httpx2
import pytest
from django.db import connection
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from accesscontrol.models import Member, Restriction, Surface
from accesscontrol.services import memberships, restrictions
from tests import cast
from tests.e2e.conftest import Gateway

TICKET = {"project": "OPS", "subject": "The coffee machine leaks"}
MODES = ["auto", "legacy", "2026-07-28"]


def with_client(gateway: Gateway, token: str, mode: Any, use: Callable[[Client], Awaitable[None]]) -> None:
    async def run() -> None:
        headers = {"Authorization": f"Bearer {token}"}
        async with (
            httpx2.AsyncClient(headers=headers) as http,
            Client(streamable_http_client(gateway.mcp, http_client=http), mode=mode) as client,
        ):
            await use(client)

    asyncio.run(run())


def records(gateway: Gateway) -> str:
    return httpx2.get(f"{gateway.sandbox}/_records/deskline/Acme").text


@pytest.mark.requirement("S28")
@pytest.mark.parametrize("mode", MODES)
def test_the_official_client_finds_a_tool_and_runs_a_read_and_a_write(
    gateway: Gateway, dora: Member, mode: str
) -> None:
    subject = f"The coffee machine leaks ({mode})"

    async def use(client: Client) -> None:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        assert listed[:2] == ["search_tools", "execute_tool"]
        assert not [name for name in listed if name.startswith("deskline")]
        found = await client.call_tool("search_tools", {"query": "create ticket"})
        assert found.structured_content is not None
        name = found.structured_content["result"][0]["name"]
        arguments = {"project": "OPS", "subject": subject}
        made = await client.call_tool("execute_tool", {"name": name, "arguments": arguments})
        assert not made.is_error
        assert made.structured_content is not None
        read = await client.call_tool("deskline_get_ticket", {"ticket_id": made.structured_content["id"]})
        assert read.structured_content is not None
        assert read.structured_content["subject"] == subject

    with_client(gateway, cast.token(dora), mode, use)
    assert subject in records(gateway)


@pytest.mark.parametrize("mode", MODES)
def test_the_official_client_reads_refusals_and_errors(gateway: Gateway, dora: Member, mode: str) -> None:
    restrictions.create(
        subject=dora, mode=Restriction.Mode.BLOCK, tools=["deskline.create_ticket"], surface=Surface.SYSTEM
    )

    async def use(client: Client) -> None:
        found = await client.call_tool("search_tools", {"query": "create ticket"})
        assert found.structured_content is not None
        assert found.structured_content["restricted_count"] == 1
        for name, arguments in (
            ("deskline_create_ticket", TICKET),
            ("execute_tool", {"name": "deskline_create_ticket", "arguments": TICKET}),
        ):
            refused = await client.call_tool(name, arguments)
            assert refused.is_error
            assert json.loads(refused.content[0].text)["error"]["code"] == "restricted"  # type: ignore[union-attr]
        with pytest.raises(MCPError, match="no tool of that name"):
            await client.call_tool("nonsense", {})

    before = records(gateway)
    with_client(gateway, cast.token(dora), mode, use)
    assert records(gateway) == before


def test_fastmcp_s_client_finds_a_tool_and_runs_it(gateway: Gateway, dora: Member) -> None:
    async def run() -> None:
        async with fastmcp.Client(gateway.mcp, auth=cast_token) as client:
            found = await client.call_tool("search_tools", {"query": "record a payment in Ledgerbox"})
            assert found.structured_content is not None
            assert found.structured_content["result"][0]["name"] == "ledgerbox_record_payment"
            listed = await client.call_tool("execute_tool", {"name": "ledgerbox_list_invoices", "arguments": {}})
            assert listed.structured_content is not None
            assert listed.structured_content["data"]

    cast_token = cast.token(dora)
    asyncio.run(run())


def test_a_suspension_in_another_process_ends_the_very_next_call(gateway: Gateway, dora: Member) -> None:
    token = cast.token(dora)
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    headers = {"Authorization": f"Bearer {token}"}
    assert httpx2.post(gateway.mcp, json=ping, headers=headers).status_code == 200
    memberships.suspend(member=dora, surface=Surface.SYSTEM)
    assert httpx2.post(gateway.mcp, json=ping, headers=headers).status_code == 401


@pytest.mark.requirement("S18", "S19")
def test_a_rule_written_in_another_process_is_obeyed_by_the_very_next_search(gateway: Gateway, dora: Member) -> None:
    def restrict() -> None:
        with closing(connection):
            restrictions.create(
                subject=dora, mode=Restriction.Mode.BLOCK, connectors=["deskline"], surface=Surface.SYSTEM
            )

    async def use(client: Client) -> None:
        async def visible() -> list[str]:
            found = await client.call_tool("search_tools", {"query": "create ticket", "limit": 50})
            assert found.structured_content is not None
            return [row["name"] for row in found.structured_content["result"] if "restricted" not in row]

        assert "deskline_create_ticket" in await visible()
        await asyncio.to_thread(restrict)
        assert not [name for name in await visible() if name.startswith("deskline")]

    with_client(gateway, cast.token(dora), "auto", use)
