"""Files that a member brings, and calls that send files."""

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from accesscontrol.models import Member, Restriction, Role, Surface
from accesscontrol.permissions import Scope
from accesscontrol.services import grants, restrictions
from connectors.execution.files import open_for_call
from connectors.models import Connection, StoredFile
from tests import cast
from tests.connectors.execution.upstream import Server, respond
from tests.connectors.files.conftest import PNG
from tests.connectors.files.test_links import content, opened
from tests.connectors.sharing import refusal
from tests.search.mcp.rpc import Rpc


def upload(token: str, data: bytes = PNG, *, path: str = "/files/", **headers: str) -> Any:
    sent = {"Authorization": f"Bearer {token}", **{name.replace("_", "-"): value for name, value in headers.items()}}
    return Client(enforce_csrf_checks=True).post(path, data, content_type="image/png", headers=sent)


def test_a_file_that_is_brought_opens_by_its_link(bob: Member) -> None:
    response = upload(cast.token(bob), Content_Disposition='attachment; filename="../me.png"')
    assert response.status_code == 201
    file = response.json()
    assert (file["name"], file["media_type"], file["size"]) == ("me.png", "image/png", len(PNG))
    assert content(opened(file)) == PNG
    row = StoredFile.objects.get()
    assert (row.member, row.connector, row.tool) == (bob, None, "")


def test_its_name_may_be_in_the_address(bob: Member) -> None:
    assert upload(cast.token(bob), path="/files?name=a%2Fb.png").json()["name"] == "b.png"
    assert upload(cast.token(bob)).json()["name"] == "file"


def test_one_that_is_too_large_is_not_read(bob: Member, settings: Any) -> None:
    settings.FILE_MAX_BYTES = 1024**2
    response = upload(cast.token(bob), b"x" * (1024**2 + 1))
    assert (response.status_code, response.json()["error"]["message"]) == (413, "A file may have 1 MiB.")
    assert not StoredFile.objects.exists()


def test_one_without_room_is_refused(bob: Member, settings: Any) -> None:
    settings.FILE_BYTES_PER_MEMBER = 1
    response = upload(cast.token(bob))
    assert (response.status_code, response.json()["error"]["code"]) == (409, "conflict")


def test_bringing_files_counts_against_what_the_client_may_ask_in_a_minute(bob: Member, settings: Any) -> None:
    cache.clear()
    settings.MCP_REQUESTS_PER_MINUTE = 2
    rpc = Rpc(cast.token(bob))
    assert rpc.send("ping").status_code == 200
    assert upload(rpc.token).status_code == 201
    refused = upload(rpc.token)
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "rate_limited")
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert rpc.send("ping").status_code == 429
    assert upload(cast.token(bob)).status_code == 201


def test_only_a_client_that_may_call_tools_brings_files(bob: Member) -> None:
    stranger = upload("elaichi_unknown")
    assert (stranger.status_code, stranger.headers["WWW-Authenticate"]) == (401, "Bearer")
    reader = upload(cast.token(bob, scopes=[Scope.READ]))
    assert (reader.status_code, reader.json()["error"]["code"]) == (403, "scope_required")
    token = cast.token(bob)
    Member.objects.update(role=Role.objects.get(organization=bob.organization, slug="guest"))
    assert upload(token).json()["error"]["code"] == "permission_required"
    signed_in = Client()
    signed_in.force_login(bob.user)
    assert signed_in.post("/files/", PNG, content_type="image/png").status_code == 401
    assert not StoredFile.objects.exists()


def test_a_call_sends_the_file_that_it_names(rpc: Rpc, upstream: Server, bob: Member) -> None:
    upstream.routes["/put_logo"] = respond(204)
    file = upload(rpc.token).json()
    assert not rpc.call("notion_put_logo", logo=file["id"])["isError"]
    assert upstream.received[-1].body == PNG
    assert upstream.received[-1].headers["content-type"] == "image/png"


@pytest.mark.parametrize("named", ["not an id", "11111111-1111-4111-8111-111111111111", "dana's"])
def test_a_file_that_is_not_the_caller_s_is_not_there(rpc: Rpc, upstream: Server, bob: Member, named: str) -> None:
    if named == "dana's":
        named = upload(cast.token(cast.member(bob.organization, "dana"))).json()["id"]
    assert refusal(rpc, "notion_put_logo", logo=named)["code"] == "not_found"
    assert upstream.received == []


def test_a_file_of_a_tool_that_is_restricted_by_now_is_sent_nowhere(
    rpc: Rpc, logo: dict[str, Any], upstream: Server, bob: Member
) -> None:
    upstream.routes["/put_logo"] = respond(204)
    assert not rpc.call("notion_put_logo", logo=logo["id"])["isError"]
    sent = len(upstream.received)
    restrictions.create(subject=bob, mode=Restriction.Mode.BLOCK, tools=["notion.get_logo"], surface=Surface.SYSTEM)
    error = refusal(rpc, "notion_put_logo", logo=logo["id"])
    assert (error["code"], error["tool"]) == ("restricted", "notion_get_logo")
    assert len(upstream.received) == sent


def test_a_rule_written_while_the_call_ran_counts(
    rpc: Rpc, logo: dict[str, Any], account: Connection, bob: Member
) -> None:
    caller = grants.authenticate(rpc.token)
    assert open_for_call(caller, logo["id"]).content == PNG
    Connection.objects.filter(pk=account.pk).update(status=Connection.Status.DISCONNECTED)
    with pytest.raises(Exception, match="not connected any more"):
        open_for_call(caller, logo["id"])
