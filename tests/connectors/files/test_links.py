"""Files that calls bring back, and the links under which they open."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from accesscontrol.caller import caller_of
from accesscontrol.models import AuditEvent, Grant, Member, Restriction, Role, Surface, User
from accesscontrol.permissions import Scope
from accesscontrol.services import grants, memberships, restrictions
from connectors.files import links, storing
from connectors.models import Connection, Connector, Share, StoredFile
from tests import cast
from tests.connectors.execution.upstream import Server, respond
from tests.connectors.files.conftest import PNG
from tests.connectors.sharing import share
from tests.search.mcp.rpc import Rpc


def opened(file: dict[str, Any], *, method: str = "get") -> Any:
    """By somebody who is signed in nowhere."""
    return getattr(Client(), method)(urlsplit(file["url"]).path)


def content(response: Any) -> bytes:
    return b"".join(response.streaming_content)


def test_bytes_become_a_file_behind_a_link(rpc: Rpc, bob: Member, logo: dict[str, Any], settings: Any) -> None:
    row = StoredFile.objects.get()
    assert {key: logo[key] for key in ("id", "name", "media_type", "size")} == {
        "id": str(row.pk),
        "name": "the logo.png",
        "media_type": "image/png",
        "size": len(PNG),
    }
    assert logo["url"].startswith(f"{settings.PUBLIC_URL}/files/")
    assert logo["url"].endswith("/the%20logo.png")
    assert logo["url_expires_at"] < logo["expires_at"]
    assert (row.member, row.tool, row.connector) == (bob, "get_logo", Connector.objects.get())
    assert content(opened(logo)) == PNG


def test_it_is_served_so_that_it_can_do_nothing_here(logo: dict[str, Any]) -> None:
    for method in ("get", "head"):
        response = opened(logo, method=method)
        assert response.status_code == 200
        assert dict(response.headers) | {
            "Content-Type": "image/png",
            "Content-Length": str(len(PNG)),
            "Content-Disposition": 'attachment; filename="the logo.png"',
            "Content-Security-Policy": "sandbox; default-src 'none'",
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "private, no-store",
        } == dict(response.headers)
        assert (content(response) if method == "get" else response.content) == (PNG if method == "get" else b"")
    assert opened(logo, method="post").status_code == 405


@pytest.mark.parametrize("media_type", ["application/x-shockwave-flash", "application/wasm", "no type at all"])
def test_what_a_browser_might_run_is_served_as_mere_bytes(rpc: Rpc, upstream: Server, media_type: str) -> None:
    upstream.routes["/get_logo"] = respond(200, b"\0<script>", Content_Type=media_type)
    response = opened(rpc.call("notion_get_logo")["structuredContent"]["file"])
    assert response.headers["Content-Type"] == "application/octet-stream"
    assert content(response) == b"\0<script>"


@pytest.mark.parametrize("media_type", ["image/svg+xml", "text/html", "application/xhtml+xml", "text/javascript"])
def test_nor_is_a_page_that_a_member_brings(bob: Member, media_type: str) -> None:
    file = storing.store(member=bob, name="page", media_type=media_type, data=b"<svg/>")
    link = links.described(caller_of(bob, surface=Surface.SYSTEM), file)
    response = opened(link)
    assert response.headers["Content-Type"] == "application/octet-stream"
    assert content(response) == b"<svg/>"


def test_a_long_answer_comes_cut_and_is_kept_whole(rpc: Rpc, upstream: Server) -> None:
    rows = [{"id": number, "text": "x" * 1000} for number in range(1100)]
    upstream.routes["/get_logo"] = respond(200, json.dumps({"rows": rows}).encode(), Content_Type="application/json")
    result = rpc.call("notion_get_logo")["structuredContent"]
    assert list(result) == ["elaichi_truncated", "elaichi_file", "rows"]
    assert len(result["rows"]) == 200
    assert json.loads(content(opened(result["elaichi_file"]))) == {"rows": rows}


def test_each_opening_is_recorded(logo: dict[str, Any], bob: Member) -> None:
    assert content(opened(logo)) == PNG
    block(bob)
    opened(logo)
    events = AuditEvent.objects.filter(action="file.open", target=f"file:{logo['id']}").order_by("at")
    assert [(event.actor, event.outcome, event.connection) for event in events] == [
        (bob, "ok", "Notion: Main"),
        (bob, "restricted", "Notion: Main"),
    ]


def block(bob: Member) -> None:
    restrictions.create(subject=bob, mode=Restriction.Mode.BLOCK, tools=["notion.get_logo"], surface=Surface.SYSTEM)


def block_role(bob: Member) -> None:
    restrictions.create(subject=bob.role, mode=Restriction.Mode.BLOCK, connectors=["notion"], surface=Surface.SYSTEM)


def revoke(bob: Member) -> None:
    grants.revoke(grant=Grant.objects.get(), reason="test", surface=Surface.SYSTEM)


def suspend(bob: Member) -> None:
    memberships.suspend(member=bob, surface=Surface.SYSTEM)


def demote(bob: Member) -> None:
    Member.objects.update(role=Role.objects.get(organization=bob.organization, slug="guest"))


def narrow(bob: Member) -> None:
    Grant.objects.update(scopes=[Scope.READ])


def disconnect(bob: Member) -> None:
    Connection.objects.update(status=Connection.Status.DISCONNECTED)


def delete_connection(bob: Member) -> None:
    Connection.objects.all().delete()


def switch_off(bob: Member) -> None:
    Connector.objects.update(enabled=False)


@pytest.mark.parametrize(
    ("take_away", "words"),
    [
        (block, "notion_get_logo is restricted: an administrator has restricted this tool for you"),
        (block_role, "notion_get_logo is restricted: an administrator has restricted the whole app for your role"),
        (revoke, "This access was ended"),
        (suspend, "This access was ended"),
        (demote, "permission tool:execute"),
        (narrow, "scope mcp:tools"),
        (disconnect, "not connected any more"),
        (delete_connection, "not connected any more"),
        (switch_off, "not connected any more"),
    ],
)
def test_a_link_ends_with_whatever_led_to_it(
    logo: dict[str, Any], bob: Member, take_away: Callable[[Member], None], words: str
) -> None:
    assert content(opened(logo)) == PNG
    take_away(bob)
    response = opened(logo)
    assert response.status_code == 403
    assert words in response.content.decode()
    assert "the logo" not in response.content.decode()


def test_a_share_taken_back_takes_the_files_along(upstream: Server, account: Connection, bob: Member) -> None:
    dana = cast.member(bob.organization, "dana")
    share(account, dana)
    file = Rpc(cast.token(dana)).call("notion_get_logo")["structuredContent"]["file"]
    assert content(opened(file)) == PNG
    Share.objects.all().delete()
    assert opened(file).status_code == 403


def test_a_block_by_a_former_name_holds(logo: dict[str, Any], bob: Member) -> None:
    block(bob)
    StoredFile.objects.get().connector.tools.filter(name="get_logo").update(  # type: ignore[union-attr]
        name="fetch_logo", former_names=["get_logo"]
    )
    assert opened(logo).status_code == 403


def test_a_link_that_is_not_ours_says_nothing(logo: dict[str, Any]) -> None:
    path = urlsplit(logo["url"]).path
    forged = path.replace("/files/", "/files/x", 1)
    unknown: HttpResponse = Client().get(forged)  # type: ignore[assignment]
    StoredFile.objects.all().delete()
    gone: HttpResponse = Client().get(path)  # type: ignore[assignment]
    assert (unknown.status_code, gone.status_code) == (404, 404)
    assert unknown.content == gone.content


def test_a_link_ends_after_its_hour_and_with_its_file(logo: dict[str, Any], settings: Any) -> None:
    settings.FILE_LINK_SECONDS = -1
    assert opened(logo).status_code == 410
    settings.FILE_LINK_SECONDS = 3600
    StoredFile.objects.update(expires_at=timezone.now())
    assert opened(logo).status_code == 410


def test_a_file_whose_content_is_lost_is_not_there(logo: dict[str, Any], folder: Path) -> None:
    for file in folder.rglob("*"):
        if file.is_file():
            file.unlink()
    assert opened(logo).status_code == 404


def test_a_person_who_is_no_user_any_more_opens_nothing(logo: dict[str, Any]) -> None:
    User.objects.update(is_active=False)
    assert opened(logo).status_code == 403
