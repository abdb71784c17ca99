"""What one client may ask of the endpoint, and which pages in a browser may."""

import pytest
from django.core.cache import cache
from django.test import Client
from pytest_django.fixtures import Settings

from accesscontrol.models import AuditEvent, Member
from connectors.models import Connector
from tests import cast
from tests.search.mcp.rpc import LEGACY, MODERN, Rpc


@pytest.fixture(autouse=True)
def _three_a_minute(settings: Settings) -> None:
    cache.clear()
    settings.MCP_REQUESTS_PER_MINUTE = 3


def test_a_grant_that_asks_too_often_is_told_when_to_come_back(bob: Member) -> None:
    rpc = Rpc(cast.token(bob))
    for _ in range(3):
        assert rpc.send("ping").status_code == 200
    refused = rpc.send("ping")
    assert refused.status_code == 429
    assert 1 <= int(refused["Retry-After"]) <= 60
    assert f"wait {refused['Retry-After']} seconds" in rpc.error(refused)["message"]
    assert refused.json()["id"] == 1


def test_another_grant_of_the_same_member_is_not_held_up(bob: Member) -> None:
    first = Rpc(cast.token(bob))
    assert [first.send("ping").status_code for _ in range(4)][-1] == 429
    assert Rpc(cast.token(bob)).send("ping").status_code == 200


def test_no_limit_is_none(bob: Member, settings: Settings) -> None:
    settings.MCP_REQUESTS_PER_MINUTE = 0
    rpc = Rpc(cast.token(bob))
    assert {rpc.send("ping").status_code for _ in range(6)} == {200}


def test_a_wrong_token_is_no_matter_of_limits(db: None) -> None:
    assert {Rpc("wrong").send("ping").status_code for _ in range(5)} == {401}


@pytest.mark.parametrize("version", [LEGACY, MODERN])
def test_a_call_s_result_log_and_audit_row_have_one_id(deskline: Connector, bob: Member, version: str) -> None:
    rpc = Rpc(cast.token(bob), version=version)
    response = rpc.send("tools/call", {"name": "deskline_list_tickets", "arguments": {}}, X_Request_ID="quote-me")
    assert response.json()["result"]["_meta"]["elaichi/requestId"] == "quote-me"
    assert response["X-Request-ID"] == "quote-me"
    assert AuditEvent.objects.get(action="tool.call").request_id == "quote-me"


def test_the_page_of_an_admitted_origin_may_ask_and_read(bob: Member, settings: Settings) -> None:
    settings.MCP_ALLOWED_ORIGINS = ["https://inspector.example"]
    settings.DEBUG = False
    headers = {
        "Origin": "https://inspector.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type,mcp-protocol-version",
    }
    preflight = Client().options("/mcp", headers=headers)
    assert preflight.status_code == 204
    assert preflight["Access-Control-Allow-Origin"] == "https://inspector.example"
    allowed = {name.strip().lower() for name in preflight["Access-Control-Allow-Headers"].split(",")}
    assert {"authorization", "content-type", "mcp-protocol-version"} <= allowed
    answer = Rpc(cast.token(bob)).send("ping", Origin="https://inspector.example")
    assert answer["Access-Control-Allow-Origin"] == "https://inspector.example"
    refused = Rpc().send("ping", Origin="https://inspector.example")
    assert (refused.status_code, refused["Access-Control-Expose-Headers"][:16]) == (401, "WWW-Authenticate")


def test_the_page_of_another_origin_may_not(bob: Member, settings: Settings) -> None:
    settings.DEBUG = False
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    preflight = Client().options("/mcp", headers=headers)
    assert preflight.status_code == 403
    answer = Rpc(cast.token(bob)).send("ping", Origin="https://evil.example")
    assert answer.status_code == 403
    for response in (preflight, answer):
        assert "Access-Control-Allow-Origin" not in response.headers


def test_a_client_that_is_no_browser_is_told_nothing_of_origins(bob: Member) -> None:
    assert "Access-Control-Allow-Origin" not in Rpc(cast.token(bob)).send("ping").headers
    assert Client().options("/mcp").status_code == 405
