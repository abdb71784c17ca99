"""One account's token, renewed: before it ends, where it was refused, and not while it is good."""

import time
from typing import Any

import pytest

from accesscontrol.models import AuditEvent, Member, Notice
from connectors.models import Connection, Connector, OAuthApp
from tests import cast
from tests.connectors.execution.upstream import Handler, respond
from tests.connectors.oauth.conftest import Account, account_of, pagebox, register
from tests.connectors.oauth.provider import SECRET, Provider
from tests.search.mcp.rpc import Rpc

PAGE = {"page": "Holidays"}


def call(member: Member, tool: str = "get_page") -> dict[str, Any]:
    """The result, or the error."""
    content: dict[str, Any] = Rpc(cast.token(member)).call(f"pagebox_{tool}")["structuredContent"]
    said: dict[str, Any] = content.get("error", content)
    return said


def stored() -> dict[str, Any]:
    return Connection.objects.get().credential.reveal()


def sent_to_api(provider: Provider, path: str) -> int:
    return len([one for one in provider.server.received if one.target == path])


def test_a_token_that_is_good_for_a_while_is_not_renewed(account: Account, bob: Member, provider: Provider) -> None:
    account(left=90)
    assert call(bob) == PAGE
    assert not provider.asked


@pytest.mark.parametrize("left", [59, 0, -1000])
def test_one_that_ends_is_renewed_and_the_new_refresh_token_kept(
    account: Account, bob: Member, provider: Provider, left: float
) -> None:
    before = account(left=left).credential.reveal()
    assert call(bob) == PAGE
    after = stored()
    assert after["access_token"] != before["access_token"]
    assert after["refresh_token"] != before["refresh_token"]
    assert 3590 < after["expires_at"] - time.time() <= 3600
    assert call(bob) == PAGE
    assert provider.asked == {"refresh_token": 1}


def test_a_refresh_token_that_is_not_rotated_stays(account: Account, bob: Member, provider: Provider) -> None:
    provider.rotates = False
    before = account(left=-1).credential["refresh_token"]
    for _ in range(2):
        assert call(bob) == PAGE
        held = stored()
        assert held["refresh_token"] == before
        Connection.objects.update(credential={**held, "expires_at": int(time.time()) - 1})
    assert provider.asked == {"refresh_token": 2}


@pytest.mark.parametrize(
    ("expires_in", "kept"),
    [(None, False), (0, False), ("3600", True), (3600, True)],
    ids=["none", "0", "text", "number"],
)
def test_a_product_need_not_say_how_long_a_token_is_good(
    account: Account, bob: Member, provider: Provider, expires_in: Any, kept: bool
) -> None:
    account(left=-1)
    provider.expires_in = expires_in
    assert call(bob) == PAGE
    assert ("expires_at" in stored()) == kept
    assert call(bob) == PAGE
    assert provider.asked == {"refresh_token": 1}


@pytest.mark.parametrize("tool", ["get_page", "create_page"])
def test_a_call_that_is_refused_is_made_once_more_with_a_new_token(
    account: Account, bob: Member, provider: Provider, tool: str
) -> None:
    account(left=3600)
    provider.end_access_tokens()
    assert call(bob, tool) == PAGE
    assert provider.asked == {"refresh_token": 1}
    assert sent_to_api(provider, f"/{tool}") == 2


def test_and_only_once(account: Account, bob: Member, provider: Provider) -> None:
    account(left=3600)
    provider.server.routes["/get_page"] = respond(401)
    assert call(bob)["code"] == "needs_reauth"
    assert provider.asked == {"refresh_token": 1}
    assert sent_to_api(provider, "/get_page") == 2
    assert Connection.objects.get().status == "active"


def test_a_write_that_was_redirected_before_it_was_refused_is_not_made_again(
    account: Account, bob: Member, provider: Provider
) -> None:
    """The first request may have done it."""
    account(left=3600)
    provider.server.routes["/create_page"] = respond(303, Location="/get_page")
    provider.end_access_tokens()
    assert call(bob, "create_page")["code"] == "needs_reauth"
    assert sent_to_api(provider, "/create_page") == 1
    assert not provider.asked


def test_a_sign_in_that_the_product_ended_needs_its_owner_who_is_told_once(
    account: Account, bob: Member, bea: Member, provider: Provider
) -> None:
    account(left=-1)
    provider.end_sign_ins()
    error = call(bob)
    assert error["code"] == "needs_reauth"
    assert "bob@acme.example" in error["message"]
    held = Connection.objects.get()
    assert (held.status, held.status_reason) == (
        "needs_reauth",
        "The product has ended the sign-in; connect the account again.",
    )
    notice = Notice.objects.get()
    assert (notice.member, notice.kind) == (bob, "needs_reauth")
    assert "sign-in of your account at Pagebox in Acme has ended" in notice.body
    assert AuditEvent.objects.filter(action="connection.needs_reauth").count() == 1
    assert provider.asked["refresh_token"] == 1


def test_a_sign_in_without_a_refresh_token_ends_with_its_token(
    account: Account, bob: Member, provider: Provider
) -> None:
    provider.refreshes = False
    account(left=30)
    assert call(bob) == PAGE
    Connection.objects.update(credential={**stored(), "expires_at": int(time.time()) - 1})
    assert call(bob)["code"] == "needs_reauth"
    assert Connection.objects.get().status == "needs_reauth"
    assert not provider.asked


def test_one_401_ends_no_account_that_cannot_be_renewed(account: Account, bob: Member, provider: Provider) -> None:
    provider.refreshes = False
    account(left=3600)
    provider.end_access_tokens()
    assert call(bob)["code"] == "needs_reauth"
    assert Connection.objects.get().status == "active"


@pytest.mark.parametrize("fails_with", [500, 503])
def test_a_token_endpoint_that_fails_ends_nothing(
    account: Account, bob: Member, provider: Provider, fails_with: int
) -> None:
    """Even where its answer reads like a refusal."""
    account(left=30)
    provider.fails_with = fails_with
    assert call(bob) == PAGE
    Connection.objects.update(credential={**stored(), "expires_at": int(time.time()) - 1})
    error = call(bob)
    assert error["code"] == "upstream_unreachable"
    assert Connection.objects.get().status == "active"
    assert not Notice.objects.exists()
    provider.fails_with = 0
    assert call(bob) == PAGE


def test_a_token_endpoint_that_is_silent_keeps_no_call_longer_than_a_call_may_take(
    account: Account, bob: Member, provider: Provider, settings: Any
) -> None:
    settings.OUTBOUND_SECONDS = 0.5
    account(left=-1)
    provider.seconds = 30
    began = time.monotonic()
    assert call(bob)["code"] == "upstream_unreachable"
    assert time.monotonic() - began < 3
    assert Connection.objects.get().status == "active"


@pytest.mark.parametrize(
    "answer",
    [b"", b"[]", b"<html>", b'{"token_type": "Bearer"}', b'{"access_token": ""}', b'{"access_token": 5}'],
)
def test_an_answer_that_is_no_token_is_told(account: Account, bob: Member, provider: Provider, answer: bytes) -> None:
    account(left=-1)
    provider.server.routes["/token"] = respond(200, answer, Content_Type="application/json")
    assert call(bob)["code"] == "upstream_error"
    assert Connection.objects.get().status == "active"


def test_a_token_request_is_not_redirected(account: Account, bob: Member, provider: Provider) -> None:
    account(left=-1)
    provider.server.routes["/token"] = respond(307, Location="/elsewhere")
    assert "redirects" in call(bob)["message"]
    assert sent_to_api(provider, "/elsewhere") == 0


def test_a_token_endpoint_inside_the_network_is_not_asked(account: Account, bob: Member, settings: Any) -> None:
    made = account(left=-1)
    for url in ("https://169.254.169.254/token", "https://localhost/token"):
        OAuthApp.objects.update(token_url=url)
        Connection.objects.update(credential={**made.credential, "token_url": url})
        assert call(bob)["code"] == "blocked_address"


def test_an_application_that_is_refused_is_for_an_administrator(
    account: Account, bob: Member, provider: Provider
) -> None:
    account(left=-1)
    OAuthApp.objects.update(client_secret={"client_secret": "an old one"})
    error = call(bob)
    assert (error["code"], error["permission"]) == ("conflict", "connector:manage")
    assert "invalid_client" in error["message"]
    assert Connection.objects.get().status == "active"
    OAuthApp.objects.all().delete()
    assert "no application registered" in call(bob)["message"]


def test_a_refresh_token_goes_only_to_where_it_was_issued(account: Account, bob: Member, provider: Provider) -> None:
    """However the address came to be another: here the application was deleted and registered anew."""
    account(left=-1)
    OAuthApp.objects.update(token_url="https://collector.example/token")
    assert call(bob)["code"] == "needs_reauth"
    assert "sign-in address has changed" in Connection.objects.get().status_reason


def test_the_application_s_own_token_is_asked_for_anew(connector: Connector, bob: Member, provider: Provider) -> None:
    register(connector, grant_type="client_credentials")
    provider.refreshes = False
    account_of(bob, connector, provider, left=-1)
    assert call(bob) == PAGE
    provider.end_access_tokens()
    assert call(bob) == PAGE
    assert provider.asked == {"client_credentials": 2}


def test_neither_token_nor_secret_is_told_or_written_down(
    account: Account, bob: Member, provider: Provider, caplog: Any
) -> None:
    held = account(left=-1).credential.reveal()
    provider.server.routes["/token"] = _echo
    with caplog.at_level(0):
        said = str(call(bob))
    for secret in (held["refresh_token"], held["access_token"], SECRET):
        assert secret not in said + caplog.text + str(list(AuditEvent.objects.values()))


def _echo(handler: Handler) -> None:
    body = b'{"error": "invalid_request", "error_description": "' + handler.server.received[-1].body + b'"}'
    respond(400, body, Content_Type="application/json")(handler)


def test_an_account_of_another_organization_is_its_own(
    account: Account, bob: Member, charlie: Member, provider: Provider
) -> None:
    theirs = pagebox(charlie.organization, provider)
    register(theirs)
    account_of(charlie, theirs, provider, left=-1)
    account(left=-1)
    assert call(bob) == call(charlie) == PAGE
    assert provider.asked == {"refresh_token": 2}
