"""Every trick, on each of the three ways out: HTTP calls, remote MCP servers, token requests. Nobody is dialled."""

import socket
from collections.abc import Callable, Iterator
from threading import Thread

import httpx2
import pytest
from django.conf import settings
from pytest_django.fixtures import Settings

from accesscontrol.exceptions import Refusal
from connectors.credentials.oauth import client
from connectors.execution import mcp_call
from connectors.execution.egress import guarded_transport
from connectors.execution.sending import send
from connectors.mcp_binding import McpBinding
from connectors.models import Connector, OAuthApp, Tool
from tests.conftest import reachable
from tests.connectors.execution.upstream import Server, respond

# Whatever stops a call of an MCP server is told once its transaction has committed.
pytestmark = pytest.mark.django_db
REFUSED = (Refusal, httpx2.InvalidURL)


class Listener:
    """Counts who connects to this machine, by either protocol, to a port that no call may reach."""

    def __init__(self) -> None:
        self.connections = 0
        first = socket.create_server(("127.0.0.1", 0))
        self.port = first.getsockname()[1]
        self._sockets = [first, socket.create_server(("::1", self.port), family=socket.AF_INET6)]
        self._threads = [Thread(target=self._accept, args=[one]) for one in self._sockets]
        for thread in self._threads:
            thread.start()

    def _accept(self, listening: socket.socket) -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            self.connections += 1
            connection.close()

    def close(self) -> None:
        for one in self._sockets:
            one.shutdown(socket.SHUT_RDWR)
            one.close()
        for thread in self._threads:
            thread.join()


@pytest.fixture
def inside() -> Iterator[Listener]:
    listener = Listener()
    yield listener
    listener.close()


def http(url: str) -> None:
    request = httpx2.Request("GET", url, headers={"Authorization": "Bearer canary"})
    send(request, transport=guarded_transport(settings.EGRESS_ALLOWED), hop_check=lambda url: None)


def mcp(url: str) -> None:
    connector = Connector(slug="desk", label="Desk", kind=Connector.Kind.MCP, base_url=url)
    tool = Tool(connector=connector, name="go", binding=McpBinding(tool="go", protocol_version="").to_json())
    mcp_call.call(tool, {}, {}, hop_check=lambda url: None)


def oauth(url: str) -> None:
    app = OAuthApp(connector=Connector(slug="desk", label="Desk"), client_id="us", token_url=url)
    client.refresh(app, {"refresh_token": "canary", "token_url": url})


WAYS: list[Callable[[str], None]] = [http, mcp, oauth]
HOSTS = [
    "127.0.0.1",
    "127.1",
    "0177.0.0.1",
    "017700000001",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0",
    "0.0.0.0",
    "[::]",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[fe80::1%25lo]",
    "169.254.169.254",
    "[fd00:ec2::254]",
    "localhost",
    "localhost.",
    "127.0.0.1.",
    "127。0。0。1",
    "\uff11\uff12\uff17.0.0.1",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "public.example@127.0.0.1",
    "public.example:80@localhost",
    "public.example%40@127.0.0.1",
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("host", HOSTS)
def test_an_address_inside_is_not_dialled_however_it_is_written(
    way: Callable[[str], None], host: str, inside: Listener, settings: Settings
) -> None:
    settings.EGRESS_ALLOWED = []
    for scheme in ("http", "https"):
        with pytest.raises(REFUSED):
            way(f"{scheme}://{host}:{inside.port}/token")
    assert inside.connections == 0


TARGETS = [
    "http://127.0.0.1:{port}/token",
    "//127.0.0.1:{port}/token",
    "//localhost:{port}/token",
    "http://[::1]:{port}/token",
    "http://public.example@127.0.0.1:{port}/token",
    "http://2130706433:{port}/token",
    "https://127.0.0.1:{port}/token",
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_leads_nowhere_inside(
    way: Callable[[str], None], status: int, inside: Listener, upstream: Server, settings: Settings
) -> None:
    with reachable(settings, upstream.authority):
        for target in TARGETS:
            upstream.routes["/token"] = respond(status, Location=target.format(port=inside.port))
            with pytest.raises(Refusal):
                way(f"{upstream.url}/token")
    assert len(upstream.received) >= len(TARGETS)
    assert inside.connections == 0


@pytest.mark.parametrize("way", WAYS)
def test_proxies_of_the_environment_are_not_asked(
    way: Callable[[str], None], inside: Listener, upstream: Server, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{inside.port}")
    upstream.routes["/token"] = respond(404)
    with reachable(settings, upstream.authority):
        if way is http:
            way(f"{upstream.url}/token")
        else:
            with pytest.raises(Refusal):
                way(f"{upstream.url}/token")
    assert upstream.received
    assert inside.connections == 0
