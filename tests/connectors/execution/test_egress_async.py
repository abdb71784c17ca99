"""The guard for connections of an event loop refuses what the other one refuses, before a byte is sent."""

import asyncio
from collections.abc import Sequence
from threading import Event

import httpcore2
import httpx2
import pytest

from connectors.execution.egress import resolve_by_system
from connectors.execution.egress_async import AsyncGuardedBackend, AsyncGuardedTransport
from connectors.execution.errors import BlockedAddress
from tests.connectors.execution.upstream import Server, respond

REFUSED = (BlockedAddress, httpx2.ConnectError, httpx2.InvalidURL)


def get(url: str, *answers: Sequence[str], allowed: Sequence[str] = (), timeout: float = 5) -> httpx2.Response:
    """The response, from where the name's answers lead: one each look-up, the last one stays."""
    left = list(answers)

    def resolve(host: str, port: int) -> Sequence[str]:
        return left.pop(0) if len(left) > 1 else left[0]

    async def fetch() -> httpx2.Response:
        async with (
            AsyncGuardedTransport(allowed=allowed, resolve=resolve if answers else resolve_by_system) as transport,
            httpx2.AsyncClient(transport=transport, trust_env=False, timeout=timeout) as client,
        ):
            return await client.get(url)

    return asyncio.run(fetch())


@pytest.mark.parametrize("host", ["127.0.0.1", "0x7f000001", "2130706433", "localhost", "[::1]", "127。0。0。1"])
def test_this_machine_is_refused_however_it_is_spelled(upstream: Server, host: str) -> None:
    with pytest.raises(REFUSED):
        get(f"http://{host}:{upstream.server_port}/")
    assert upstream.received == []


@pytest.mark.parametrize("address", ["169.254.169.254", "10.1.2.3", "fd00:ec2::254"])
def test_a_name_that_leads_inside_is_refused(address: str) -> None:
    with pytest.raises(BlockedAddress) as caught:
        get("http://innocent.example/", [address])
    assert address not in str(caught.value)


def test_one_inner_address_among_public_ones_is_enough_to_refuse() -> None:
    with pytest.raises(BlockedAddress):
        get("http://mixed.example/", ["93.184.216.34", "127.0.0.1"])


def test_a_name_is_resolved_once_and_that_address_is_dialled(upstream: Server) -> None:
    """Rebinding: what a second look-up would say is never asked."""
    upstream.routes["/"] = respond(200, b"ok")
    authority = f"rebinding.example:{upstream.server_port}"
    assert get(f"http://{authority}/", ["127.0.0.1"], ["192.0.2.1"], allowed=[authority]).content == b"ok"
    assert upstream.received[0].headers["host"] == authority


def test_a_dead_address_is_passed_over(upstream: Server) -> None:
    upstream.routes["/"] = respond(200, b"ok")
    authority = f"two.example:{upstream.server_port}"
    assert get(f"http://{authority}/", ["127.0.0.2", "127.0.0.1"], allowed=[authority]).content == b"ok"


def test_a_name_that_does_not_resolve_or_only_slowly_is_no_connection() -> None:
    with pytest.raises(httpx2.ConnectError, match="does not resolve"):
        get("http://nothing.example/", [])

    gone_on = Event()

    def slowly(host: str, port: int) -> Sequence[str]:
        gone_on.wait(5)
        return ["8.8.8.8"]

    async def dial() -> None:
        await AsyncGuardedBackend(allowed=frozenset(), resolve=slowly).connect_tcp("slow.example", 80, timeout=0.05)

    with pytest.raises(httpcore2.ConnectTimeout):
        asyncio.run(dial())
    gone_on.set()


def test_only_http_is_spoken_and_over_no_local_socket() -> None:
    with pytest.raises((BlockedAddress, httpx2.UnsupportedProtocol)):
        get("ftp://public.example/", ["93.184.216.34"])

    async def dial() -> None:
        await AsyncGuardedBackend(allowed=frozenset(), resolve=lambda host, port: []).connect_unix_socket("/run/x")

    with pytest.raises(BlockedAddress):
        asyncio.run(dial())


def test_the_environment_s_proxies_are_ignored(upstream: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", upstream.url)
    with pytest.raises(BlockedAddress):
        get("http://inner.example/", ["10.0.0.1"])
    assert upstream.received == []
