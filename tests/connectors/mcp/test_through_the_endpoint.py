"""Tools of a remote MCP server as a client of /mcp meets them: found by search, run through both doors, guarded."""

import json
from base64 import b64encode
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import connection
from django.test import Client

from accesscontrol.models import AuditEvent, Member, Restriction, Surface
from accesscontrol.services import restrictions
from connectors.catalog.mcp.importing import import_mcp
from connectors.models import Connector
from tests import cast
from tests.connectors.execution.upstream import Handler, respond
from tests.connectors.mcp.server import PIXEL, Scripted, reply
from tests.search.mcp.rpc import LEGACY, MODERN, Rpc

SECRET = "canary-credential"


def import_for(member: Member, url: str) -> Connector:
    """With an account of this member."""
    import_mcp(organization=member.organization, url=url, slug="desk", label="Desk", surface=Surface.SYSTEM)
    connector = Connector.objects.get(slug="desk")
    connector.auth = {"kind": "bearer"}
    connector.save()
    cast.connection(member, connector, credential={"token": SECRET})
    return connector


@pytest.fixture(params=[LEGACY, MODERN])
def rpc(request: pytest.FixtureRequest, desk_url: str, bob: Member) -> Rpc:
    import_for(bob, desk_url)
    return Rpc(cast.token(bob), version=request.param)


@pytest.fixture
def by_hand(scripted: Scripted, bob: Member) -> Rpc:
    import_for(bob, scripted.endpoint)
    scripted.asked.clear()
    scripted.received.clear()
    return Rpc(cast.token(bob))


def test_search_finds_them_with_their_schemas(rpc: Rpc) -> None:
    found = rpc.found("move a note")["result"][0]
    assert (found["name"], found["connector_label"]) == ("desk_move_note", "Desk")
    assert found["input_schema"]["$defs"]["Place"]["required"] == ["city"]
    assert found["annotations"]["destructiveHint"] is True


def test_both_doors_run_them(rpc: Rpc) -> None:
    value = {"title": "Tea", "places": [{"city": "Bern", "zip": ""}]}
    assert rpc.call("desk_find_note", title="Tea")["structuredContent"] == value
    indirect = rpc.call("execute_tool", name="desk_find_note", arguments={"title": "Tea"})
    assert indirect["structuredContent"] == value
    rows = AuditEvent.objects.filter(action="tool.call")
    assert [(row.outcome, row.target, row.connection) for row in rows] == [("ok", "desk_find_note", "Desk: Main")] * 2


@pytest.mark.parametrize("direct", [True, False], ids=["direct", "execute_tool"])
def test_a_picture_reaches_the_client_as_one_by_both_doors(rpc: Rpc, direct: bool) -> None:
    indirect = {"name": "desk_draw", "arguments": {"size": 1}}
    result = rpc.call("desk_draw", size=1) if direct else rpc.call("execute_tool", **indirect)
    value = result["structuredContent"]
    text, image = result["content"]
    assert image == {"type": "image", "data": PIXEL, "mimeType": "image/png"}
    assert json.loads(text["text"]) == value
    assert PIXEL not in str(value)


def test_pictures_that_are_too_large_become_files_each_with_its_link(
    by_hand: Rpc, scripted: Scripted, bob: Member, settings: Any, tmp_path: Path
) -> None:
    settings.MEDIA_ROOT = str(tmp_path)
    contents = [bytes([number]) * (1024 * 1024 + 1) for number in range(2)]
    scripted.answers["tools/call"] = {
        "content": [{"type": "image", "data": b64encode(it).decode(), "mimeType": "image/png"} for it in contents]
    }
    result = by_hand.call("desk_go")
    assert [part["type"] for part in result["content"]] == ["text"]
    links = [part["file"]["url"] for part in result["structuredContent"]["content"]]
    opened = [b"".join(Client().get(urlsplit(link).path)) for link in links]
    assert opened == contents
    settings.FILE_BYTES_PER_MEMBER = 1
    told = by_hand.call("desk_go")["structuredContent"]["content"]
    assert all("The call was made. Your stored files take" in part["note"] for part in told)


def test_arguments_are_checked_before_anything_is_sent(by_hand: Rpc, scripted: Scripted, bob: Member) -> None:
    connector = Connector.objects.get()
    connector.tools.update(input_schema={"type": "object", "properties": {}, "required": ["id"]})
    Connector.objects.update(catalog_version=7)
    error = by_hand.call("desk_go")["structuredContent"]["error"]
    assert error["code"] == "invalid_arguments"
    assert scripted.received == []


def test_a_credential_that_a_server_echoes_is_taken_out(rpc: Rpc) -> None:
    result = rpc.call("desk_whoami")
    assert result["structuredContent"] == {"text": "Bearer [redacted]"}
    assert SECRET not in str(result)


def test_a_failed_tool_is_an_upstream_error(rpc: Rpc) -> None:
    result = rpc.call("desk_fail", word="dog")
    assert result["isError"]
    assert result["structuredContent"]["error"]["code"] == "upstream_error"
    assert "No such dog" in result["structuredContent"]["error"]["message"]
    assert AuditEvent.objects.get(action="tool.call").outcome == "upstream_error"


def test_a_refused_credential_needs_signing_in_again(by_hand: Rpc, scripted: Scripted) -> None:
    scripted.routes["/mcp"] = respond(401)
    error = by_hand.call("desk_go")["structuredContent"]["error"]
    assert error["code"] == "needs_reauth"
    assert SECRET not in str(AuditEvent.objects.values())


@pytest.mark.django_db(transaction=True)
def test_a_rule_written_while_a_call_runs_stops_its_next_request(by_hand: Rpc, scripted: Scripted, bob: Member) -> None:
    """The rule is written between the greeting and the call itself, which is never sent."""
    greeting = scripted.answers["initialize"]

    def greet(handler: Handler) -> None:
        restrictions.create(subject=bob, mode=Restriction.Mode.BLOCK, connectors=["desk"], surface=Surface.SYSTEM)
        connection.close()
        reply(handler, scripted.asked[-1], result=greeting)

    scripted.answers["initialize"] = greet
    error = by_hand.call("desk_go")["structuredContent"]["error"]
    assert error["code"] == "restricted"
    assert scripted.methods == ["initialize"]


def test_a_redirect_to_another_host_is_refused_before_a_byte_is_sent(by_hand: Rpc, scripted: Scripted) -> None:
    scripted.routes["/mcp"] = respond(307, Location="http://169.254.169.254/latest/meta-data/")
    error = by_hand.call("desk_go")["structuredContent"]["error"]
    assert error["code"] == "blocked_address"
    assert len(scripted.received) == 1
