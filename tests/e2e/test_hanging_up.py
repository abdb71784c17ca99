"""A client of the real web process hangs up while its call waits for a slow product."""

import json
import socket
from collections.abc import Callable, Iterator
from threading import Event
from urllib.parse import urlsplit

import pytest

from accesscontrol.models import AuditEvent
from connectors.models import RunningCall
from tests import cast
from tests.connectors.execution.upstream import Handler, Server, serving
from tests.e2e.conftest import Gateway
from tests.elaichi.stack.observe import eventually


class Slow(Server):
    """Never answers; notes that a request arrived, and that its sender hung up."""

    def __init__(self) -> None:
        super().__init__()
        self.arrived, self.hung_up = Event(), Event()
        self.routes["/get_page"] = self.wait

    def wait(self, handler: Handler) -> None:
        self.arrived.set()
        if handler.connection.recv(1) == b"":
            self.hung_up.set()


@pytest.fixture
def slow() -> Iterator[Slow]:
    server = Slow()
    with serving(server):
        yield server


@pytest.mark.django_db(transaction=True)
def test_its_call_is_ended_and_recorded_as_such(slow: Slow, serve: Callable[[str], Gateway]) -> None:
    gateway = serve(slow.url)
    bob = cast.member(cast.organization("acme"), "bob")
    connector = cast.connector(bob.organization, base_url=slow.url)
    cast.tool(connector, "get_page", "Get a page")
    cast.connection(bob, connector)
    with asking(gateway, cast.token(bob), "notion_get_page"):
        assert slow.arrived.wait(10)
        assert RunningCall.objects.count() == 1
    assert slow.hung_up.wait(10)
    assert eventually(lambda: AuditEvent.objects.filter(action="tool.call", outcome="cancelled").exists())
    assert not RunningCall.objects.exists()


def asking(gateway: Gateway, token: str, tool: str) -> socket.socket:
    """A connection over which the tool was called, its answer not read; hangs up when it is closed."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": {}}}
    body = json.dumps(call).encode()
    url = urlsplit(gateway.mcp)
    head = (
        f"POST {url.path} HTTP/1.1\r\nHost: {url.netloc}\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    client = socket.create_connection((url.hostname, url.port))
    client.sendall(head.encode() + body)
    return client
