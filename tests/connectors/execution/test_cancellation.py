"""A call whose client hangs up ends there and then, and the upstream is hung up on."""

import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Event

import httpx2
import pytest

from connectors.execution.cancellation import ending_with
from connectors.execution.egress import GuardedTransport
from connectors.execution.errors import Cancelled, DeadlineExceeded
from connectors.execution.sending import Limits, UpstreamResponse, send
from tests.connectors.execution.upstream import Handler, Route, Server, endless, respond


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    """A client's connection: our end, and the client's."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def call(
    upstream: Server, transport: GuardedTransport, client: socket.socket, *, total: float = 10.0
) -> UpstreamResponse:
    request = httpx2.Request("GET", f"{upstream.url}/slow")
    with ending_with(client):
        return send(request, transport=transport, hop_check=lambda _: None, limits=Limits(total=total))


def silent(client: socket.socket, noticed: Event) -> Route:
    """Never answers; the client hangs up as soon as the request is here."""

    def route(handler: Handler) -> None:
        client.close()
        # An end, or a reset where what was sent stayed unread.
        with suppress(ConnectionResetError):
            assert handler.connection.recv(1) == b""
        noticed.set()

    return route


def dripping(client: socket.socket, noticed: Event) -> Route:
    def route(handler: Handler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\nbegin")
        silent(client, noticed)(handler)

    return route


@pytest.mark.parametrize("route", [silent, dripping])
def test_the_upstream_is_hung_up_on(
    upstream: Server,
    transport: GuardedTransport,
    ends: tuple[socket.socket, socket.socket],
    route: Callable[[socket.socket, Event], Route],
) -> None:
    ours, theirs = ends
    noticed = Event()
    upstream.routes["/slow"] = route(theirs, noticed)
    with pytest.raises(Cancelled):
        call(upstream, transport, ours)
    assert noticed.wait(5)


def test_a_wait_before_the_second_try_ends_too(
    upstream: Server, transport: GuardedTransport, ends: tuple[socket.socket, socket.socket]
) -> None:
    ours, theirs = ends
    upstream.routes["/slow"] = respond(503, Retry_After="5")
    theirs.shutdown(socket.SHUT_RDWR)
    with pytest.raises(Cancelled):
        call(upstream, transport, ours)


def test_a_client_that_sends_its_next_request_early_has_not_hung_up(
    upstream: Server, transport: GuardedTransport, ends: tuple[socket.socket, socket.socket]
) -> None:
    ours, theirs = ends
    theirs.sendall(b"POST /mcp HTTP/1.1\r\n")
    upstream.routes["/slow"] = respond(200, b"done")
    assert call(upstream, transport, ours).content == b"done"


def test_the_deadline_holds_while_a_client_is_watched(
    upstream: Server, transport: GuardedTransport, ends: tuple[socket.socket, socket.socket]
) -> None:
    upstream.routes["/slow"] = endless(b"", pause=0.05, head=b"")
    with pytest.raises(DeadlineExceeded):
        call(upstream, transport, ends[0], total=0.2)
