"""What an upstream may do wrong: each a clear result that a model can act on, an audit row, and nothing leaked."""

import gzip
from collections.abc import Iterator
from typing import Any

import pytest

from accesscontrol.models import AuditEvent, Member
from connectors.models import Connector
from tests import cast
from tests.conftest import reachable
from tests.connectors.execution.upstream import Route, Server, endless, respond, serving
from tests.search.mcp.rpc import Rpc

SECRET = "canary-credential"


@pytest.fixture
def upstream(settings: Any) -> Iterator[Server]:
    settings.OUTBOUND_SECONDS = 2.0
    with serving(Server()) as server, reachable(settings, server.authority):
        yield server


@pytest.fixture
def rpc(upstream: Server, bob: Member) -> Rpc:
    connector = cast.connector(bob.organization, base_url=upstream.url)
    cast.tool(connector, "get_page", "Get a page")
    cast.tool(connector, "create_page", "Create a page", method="POST")
    cast.connection(bob, connector, credential={"token": SECRET})
    return Rpc(cast.token(bob))


def silent(handler: Any) -> None:
    handler.server.stopping.wait(10)


@pytest.mark.parametrize(
    ("route", "code", "words"),
    [
        (silent, "upstream_unreachable", "within 2 seconds"),
        (endless(b"x", pause=0.05), "upstream_unreachable", "within 2 seconds"),
        (respond(500, b'{"detail": "it is down"}', Content_Type="application/json"), "upstream_error", "it is down"),
        (respond(502, b"<html><h1>Bad gateway</h1></html>", Content_Type="text/html"), "upstream_error", "Bad gateway"),
        (respond(200, b"y" * (50 * 2**20), Content_Type="text/plain"), "upstream_error", "10 MiB"),
        (respond(200, gzip.compress(b"z" * (30 * 2**20)), Content_Encoding="gzip"), "upstream_error", "10 MiB"),
        (respond(302, Location="http://169.254.169.254/latest/meta-data/"), "blocked_address", "169.254.169.254"),
        (respond(302, Location="http://localhost:9/"), "blocked_address", "localhost"),
        (respond(302, Location="/get_page"), "upstream_error", "redirects more than 5"),
        (respond(401, b"no"), "needs_reauth", "Connect the account again"),
        (respond(429, b"slow down", Retry_After="120"), "rate_limited", "120 seconds"),
        (respond(404, b'{"message": "no page"}', Content_Type="application/json"), "upstream_error", "no page"),
    ],
    ids=["silent", "drip", "500", "html", "50MB", "bomb", "metadata", "localhost", "loop", "401", "429", "404"],
)
def test_a_failure_is_told_audited_and_leaks_nothing(
    rpc: Rpc, upstream: Server, route: Route, code: str, words: str
) -> None:
    upstream.routes["/get_page"] = route
    result = rpc.call("notion_get_page")
    assert result["isError"]
    assert result["structuredContent"]["error"]["code"] == code
    assert words in result["structuredContent"]["error"]["message"]
    assert SECRET not in str(result)
    event = AuditEvent.objects.get(action="tool.call")
    assert (event.outcome, event.connection) == (code, "Notion: Main")
    assert SECRET not in str(AuditEvent.objects.values())


def test_a_credential_that_an_upstream_echoes_is_taken_out(rpc: Rpc, upstream: Server) -> None:
    upstream.routes["/get_page"] = respond(
        200, b'{"seen": "Bearer canary-credential"}', Content_Type="application/json"
    )
    assert SECRET not in str(rpc.call("notion_get_page"))
    upstream.routes["/get_page"] = respond(500, b"token canary-credential is bad", Content_Type="text/plain")
    assert SECRET not in str(rpc.call("notion_get_page"))


def test_a_large_answer_says_first_that_it_was_cut(rpc: Rpc, upstream: Server) -> None:
    upstream.routes["/get_page"] = respond(200, b"[" + b"1," * 500 + b"1]", Content_Type="application/json")
    content = rpc.call("notion_get_page")["structuredContent"]
    assert next(iter(content.items())) == ("elaichi_truncated", True)
    assert len(content["result"]) == 200


def test_a_write_is_sent_once_however_it_fails(rpc: Rpc, upstream: Server) -> None:
    upstream.routes["/create_page"] = respond(503, b"", Retry_After="0")
    assert rpc.call("notion_create_page")["isError"]
    assert len(upstream.received) == 1


def test_a_base_url_that_points_inside_is_refused_before_a_byte_is_sent(rpc: Rpc, upstream: Server) -> None:
    for address in ("http://169.254.169.254/", "http://127.0.0.1:22/", "http://2130706433/", "http://0x7f.1/"):
        Connector.objects.update(base_url=address)
        error = rpc.call("notion_get_page")["structuredContent"]["error"]
        assert error["code"] == "blocked_address", address
    assert upstream.received == []
