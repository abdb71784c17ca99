"""Sockets open to public addresses alone: every trick is refused before a byte is sent."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import httpcore2
import httpx2
import pytest

from connectors.execution.deadline import OutOfTime, within
from connectors.execution.egress import GuardedBackend, GuardedTransport, guarded_client, guarded_transport
from connectors.execution.errors import BlockedAddress
from tests.connectors.execution.upstream import Server, endless, respond

REFUSED = (BlockedAddress, httpx2.ConnectError, httpx2.InvalidURL)
"""By the guard, by the resolver that finds nothing, or as no URL at all: which one is up to the system."""
TIMED_OUT = (OutOfTime, httpx2.TimeoutException)
"""Before a wait, or during one."""


def get(transport: httpx2.BaseTransport, url: str, *, timeout: float = 5) -> httpx2.Response:
    """The response, read."""
    extensions = {"timeout": dict.fromkeys(("connect", "read", "write", "pool"), timeout)}
    response = transport.handle_request(httpx2.Request("GET", url, extensions=extensions))
    try:
        response.read()
    finally:
        response.close()
    return response


@contextmanager
def resolving_to(*answers: Sequence[str], allowed: Sequence[str] = ()) -> Iterator[GuardedTransport]:
    """A transport whose names resolve to each answer in turn; the last one stays."""
    left = list(answers)
    with GuardedTransport(
        allowed=allowed, resolve=lambda host, port: left.pop(0) if len(left) > 1 else left[0]
    ) as transport:
        yield transport


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.1",
        "0x7f000001",
        "0x7f.0.0.1",
        "2130706433",
        "017700000001",
        "0177.0.0.1",
        "0",
        "0.0.0.0",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "127。0。0。1",
        "\uff11\uff12\uff17.\uff10.\uff10.\uff11",
    ],
)
def test_this_machine_is_refused_however_it_is_spelled(upstream: Server, host: str) -> None:
    with GuardedTransport() as transport, pytest.raises(REFUSED):
        get(transport, f"http://{host}:{upstream.server_port}/")
    assert upstream.received == []


@pytest.mark.parametrize(
    "address", ["169.254.169.254", "10.1.2.3", "100.100.100.200", "fd00:ec2::254", "64:ff9b::a9fe:a9fe"]
)
def test_a_name_that_leads_inside_is_refused(address: str) -> None:
    with resolving_to([address]) as transport, pytest.raises(BlockedAddress) as caught:
        get(transport, "http://innocent.example/")
    assert "innocent.example" in str(caught.value)
    assert address not in str(caught.value)


def test_one_inner_address_among_public_ones_is_enough_to_refuse() -> None:
    with resolving_to(["93.184.216.34", "127.0.0.1"]) as transport, pytest.raises(BlockedAddress):
        get(transport, "http://mixed.example/")


def test_a_name_is_resolved_once_and_that_address_is_dialled(upstream: Server) -> None:
    """Rebinding: what a second look-up would say is never asked."""
    upstream.routes["/"] = respond(200, b"ok")
    authority = f"rebinding.example:{upstream.server_port}"
    with resolving_to(["127.0.0.1"], ["192.0.2.1"], allowed=[authority]) as transport:
        assert get(transport, f"http://{authority}/").content == b"ok"
    assert upstream.received[0].headers["host"] == authority


def test_a_name_that_resolves_inside_later_is_refused_then(upstream: Server) -> None:
    asked: list[str] = []

    def resolve(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    with GuardedTransport(resolve=resolve) as transport:
        for _ in range(2):
            with pytest.raises(BlockedAddress):
                get(transport, f"http://rebinding.example:{upstream.server_port}/")
    assert asked == ["rebinding.example"] * 2
    assert upstream.received == []


def test_an_allowed_port_opens_no_other_port_and_no_other_name(upstream: Server, other: Server) -> None:
    upstream.routes["/"] = respond(200, b"ok")
    with GuardedTransport(allowed=[upstream.authority]) as transport:
        assert get(transport, upstream.url).content == b"ok"
        for url in (other.url, upstream.url.replace("127.0.0.1", "localhost")):
            with pytest.raises(BlockedAddress):
                get(transport, url)
    assert other.received == []


def test_an_allowed_ipv6_address_is_written_in_brackets() -> None:
    backend = GuardedBackend(allowed=frozenset({"[::1]:1"}), resolve=lambda host, port: [host])
    with pytest.raises(httpcore2.ConnectError):
        backend.connect_tcp("::1", 1, timeout=1)
    with pytest.raises(BlockedAddress):
        backend.connect_tcp("::1", 2, timeout=1)


def test_unix_sockets_and_other_schemes_are_refused() -> None:
    backend = GuardedBackend(allowed=frozenset(), resolve=lambda host, port: [host])
    with pytest.raises(BlockedAddress):
        backend.connect_unix_socket("/run/docker.sock")
    with GuardedTransport() as transport, pytest.raises(BlockedAddress):
        get(transport, "ws://example.com/")


def test_proxies_of_the_environment_are_ignored(
    upstream: Server, other: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, other.url)
    upstream.routes["/"] = respond(200, b"direct")
    with closing(guarded_transport([upstream.authority])), guarded_client([upstream.authority]) as client:
        assert client.get(upstream.url).content == b"direct"
    assert other.received == []


def test_a_name_without_an_address_is_unreachable() -> None:
    def resolve(host: str, port: int) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "no")

    with GuardedTransport(resolve=resolve) as transport, pytest.raises(httpx2.ConnectError):
        get(transport, "http://nowhere.example/")
    with resolving_to([]) as transport, pytest.raises(httpx2.ConnectError):
        get(transport, "http://nowhere.example/")


def test_a_slow_resolver_uses_no_more_than_the_time_to_connect(upstream: Server) -> None:
    def resolve(host: str, port: int) -> list[str]:
        upstream.stopping.wait(5)
        return ["127.0.0.1"]

    started = time.monotonic()
    with GuardedTransport(resolve=resolve) as transport, pytest.raises(httpx2.ConnectTimeout):
        get(transport, "http://slow.example/", timeout=0.05)
    assert time.monotonic() - started < 1


def test_the_next_address_is_tried_where_one_does_not_accept(upstream: Server) -> None:
    upstream.routes["/"] = respond(200, b"ok")
    authority = f"two.example:{upstream.server_port}"
    with resolving_to(["127.0.0.2", "127.0.0.1"], allowed=[authority]) as transport:
        assert get(transport, f"http://{authority}/").content == b"ok"


def test_connections_are_reused_and_shared_by_threads(upstream: Server) -> None:
    upstream.routes["/"] = respond(200, b"ok")
    transport = guarded_transport([upstream.authority])
    assert guarded_transport((upstream.authority,)) is transport
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: get(transport, upstream.url).content, range(100)))
    assert answers == [b"ok"] * 100
    transport.close()


def test_closing_a_client_leaves_the_shared_transport_open(upstream: Server) -> None:
    upstream.routes["/"] = respond(200, b"ok")
    transport = guarded_transport([upstream.authority])
    with guarded_client([upstream.authority]) as client:
        client.get(upstream.url)
    assert get(transport, upstream.url).content == b"ok"
    transport.close()


def test_a_write_that_nobody_reads_ends_with_the_deadline(upstream: Server) -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        authority = f"127.0.0.1:{deaf.getsockname()[1]}"
        request = httpx2.Request("POST", f"http://{authority}/", content=bytes(20_000_000))
        with GuardedTransport(allowed=[authority]) as transport, pytest.raises(TIMED_OUT), within(0.2):
            transport.handle_request(request)


def test_a_limit_inside_a_limit_does_not_extend_it(upstream: Server) -> None:
    upstream.routes["/"] = endless(b"x", pause=0.01)
    started = time.monotonic()
    transport = GuardedTransport(allowed=[upstream.authority])
    with transport, pytest.raises(TIMED_OUT), within(0.1), within(60):
        get(transport, upstream.url)
    assert time.monotonic() - started < 1


def test_a_forked_process_has_a_transport_of_its_own() -> None:
    program = (
        "import os\n"
        "from connectors.execution.egress import guarded_transport\n"
        "before = guarded_transport(['a:1'])\n"
        "pid = os.fork()\n"
        "same = guarded_transport(['a:1']) is before\n"
        "os._exit(same) if pid == 0 else exit(os.waitpid(pid, 0)[1] or not same)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
