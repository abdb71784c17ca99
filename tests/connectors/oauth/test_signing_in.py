"""Connecting an account by signing in at the product: through the browser, there and back."""

import re
from datetime import timedelta
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2
import pytest
from django.test import Client
from django.utils import timezone

from accesscontrol.models import AuditEvent, Member, Restriction, Surface
from accesscontrol.services import memberships, restrictions
from connectors.models import Connection, Connector, ConnectSession, OAuthApp
from connectors.services import oauth_apps
from tests import cast
from tests.connectors.oauth.conftest import Account, register
from tests.connectors.oauth.provider import SECRET, Provider
from tests.connectors.test_connecting import signed_in, start
from tests.search.mcp.rpc import Rpc


@pytest.fixture
def page(app: OAuthApp, bob: Member) -> str:
    return start(bob, "pagebox")


def leave(client: Client, page: str, label: str = "Acme") -> str:
    """The address of the product's sign-in page, to which the connect page leads."""
    said = client.post(page, {"label": label}).content.decode()
    found = re.search(r'id="sign-in" href="([^"]+)"', said)
    assert found, said
    return unescape(found[1])


def come_back(url: str) -> str:
    """What the product sends the browser back to, as a path of ours."""
    location = httpx2.get(url, trust_env=False).headers["location"]
    assert location.startswith("http://127.0.0.1:8000/connect/callback/?")
    return str(location.removeprefix("http://127.0.0.1:8000"))


def test_a_person_signs_in_at_the_product_and_the_tools_are_there(page: str, bob: Member, provider: Provider) -> None:
    provider.extra = {"workspace_name": "Acme HQ", "scope": "pages:read"}
    client = signed_in(bob)
    assert "Sign in at Pagebox" in client.get(page).content.decode()
    done = client.get(come_back(leave(client, page)))
    assert "Pagebox is connected" in done.content.decode()
    stored = Connection.objects.get(owner=bob)
    assert (stored.status, stored.label, stored.remote_account) == ("active", "Acme", "Acme HQ")
    credential = stored.credential.reveal()
    assert set(credential) == {"access_token", "refresh_token", "expires_at", "token_type", "scope", "token_url"}
    assert Rpc(cast.token(bob)).call("pagebox_get_page")["structuredContent"] == {"page": "Holidays"}


def test_what_is_asked_of_the_product(connector: Connector, bob: Member, provider: Provider) -> None:
    register(connector, scopes=["pages:read", "offline"], authorization_parameters={"access_type": "offline"})
    url = leave(signed_in(bob), start(bob, "pagebox"))
    asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
    assert url.startswith(f"{provider.url}/authorize?")
    assert {name: asked.pop(name) for name in ("scope", "access_type", "redirect_uri", "code_challenge_method")} == {
        "scope": "pages:read offline",
        "access_type": "offline",
        "redirect_uri": "http://127.0.0.1:8000/connect/callback/",
        "code_challenge_method": "S256",
    }
    assert len(asked["state"]) == 43
    session = ConnectSession.objects.get()
    assert asked["state"] not in (session.state_hash, session.flow.ciphertext)
    assert session.flow["verifier"] not in url


@pytest.mark.parametrize(
    ("authentication", "seen"), [("client_secret_basic", "basic"), ("client_secret_post", "post"), ("none", "none")]
)
def test_each_way_in_which_the_application_says_who_it_is(
    connector: Connector, bob: Member, provider: Provider, authentication: str, seen: str
) -> None:
    register(connector, client_authentication=authentication)
    client = signed_in(bob)
    assert client.get(come_back(leave(client, start(bob, "pagebox")))).status_code == 200
    assert provider.authentications == {seen}


def test_the_way_back_works_once_in_time_and_for_the_same_person_alone(page: str, bob: Member, alice: Member) -> None:
    client = signed_in(bob)
    back = come_back(leave(client, page))
    for stranger in (Client(), signed_in(alice)):
        assert stranger.get(back).status_code == 404
    assert client.get("/connect/callback/?code=x&state=guessed").status_code == 404
    assert client.get("/connect/callback/?code=x").status_code == 404
    assert client.get(back).status_code == 200
    assert client.get(back).status_code == 404
    assert Connection.objects.count() == 1
    late = come_back(leave(client, start(bob, "pagebox"), "Late"))
    ConnectSession.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert client.get(late).status_code == 404


def test_a_second_sign_in_on_the_page_voids_the_first(page: str, bob: Member) -> None:
    client = signed_in(bob)
    first, second = come_back(leave(client, page)), come_back(leave(client, page))
    assert client.get(first).status_code == 404
    assert client.get(second).status_code == 200


@pytest.mark.parametrize("end", [memberships.suspend, memberships.remove])
def test_nobody_comes_back_to_a_membership_that_ended(page: str, bob: Member, end: Any) -> None:
    client = signed_in(bob)
    back = come_back(leave(client, page))
    end(member=bob, surface=Surface.SYSTEM)
    assert client.get(back).status_code == 404
    assert not Connection.objects.exists()


@pytest.mark.parametrize(
    ("error", "words"),
    [("access_denied", "did not allow it"), ("server_error", "ran into an error"), ("<b>x</b>", "unknown_error")],
)
def test_a_refusal_of_the_product_is_told_in_plain_words_and_can_be_tried_again(
    page: str, bob: Member, provider: Provider, error: str, words: str
) -> None:
    client = signed_in(bob)
    provider.denies = error
    said = client.get(come_back(leave(client, page))).content.decode()
    assert words in said
    assert "canary description" not in said
    assert f'action="{page}"' in said
    assert 'value="Acme"' in said
    provider.denies = ""
    assert client.get(come_back(leave(client, page))).status_code == 200
    assert Connection.objects.count() == 1


def test_a_code_of_another_sign_in_is_worth_nothing(page: str, bob: Member, alice: Member) -> None:
    """PKCE: whoever slips their code into Bob's return connects nothing."""
    client = signed_in(bob)
    theirs = parse_qs(urlsplit(come_back(leave(signed_in(alice), start(alice, "pagebox")))).query)
    own = parse_qs(urlsplit(come_back(leave(client, page))).query)
    mixed = urlencode({"code": theirs["code"][0], "state": own["state"][0]})
    assert "used already" in client.get(f"/connect/callback/?{mixed}").content.decode()
    assert not Connection.objects.exists()


def test_a_product_that_names_itself_is_the_one_that_was_asked(
    connector: Connector, bob: Member, provider: Provider
) -> None:
    register(connector, issuer="https://pagebox.example")
    client, page = signed_in(bob), start(bob, "pagebox")
    provider.issuer = "https://somebody-else.example"
    assert "somebody else than Pagebox" in client.get(come_back(leave(client, page))).content.decode()
    assert provider.asked["authorization_code"] == 0
    provider.issuer = "https://pagebox.example"
    assert "is connected" in client.get(come_back(leave(client, page))).content.decode()


def test_a_code_is_not_exchanged_once_a_rule_keeps_the_connector_from_the_member(
    page: str, bob: Member, provider: Provider
) -> None:
    client = signed_in(bob)
    back = come_back(leave(client, page))
    restrictions.create(subject=bob, mode=Restriction.Mode.BLOCK, connectors=["pagebox"], surface=Surface.SYSTEM)
    asked = len(provider.server.received)
    assert client.get(back).status_code == 404
    assert len(provider.server.received) == asked
    assert not Connection.objects.exists()


def test_a_code_goes_where_the_sign_in_began_or_nowhere(app: OAuthApp, page: str, bob: Member, settings: Any) -> None:
    client = signed_in(bob)
    back = come_back(leave(client, page))
    app.token_url = "https://elsewhere.example/token"
    oauth_apps.save(app=app, client_secret=SECRET, surface=Surface.SYSTEM)
    assert "was changed while you signed in" in client.get(back).content.decode()


@pytest.mark.parametrize(("fails_with", "words"), [(503, "status 503"), (400, "took too long")])
def test_a_token_endpoint_that_fails_is_told(
    page: str, bob: Member, provider: Provider, fails_with: int, words: str
) -> None:
    client = signed_in(bob)
    back = come_back(leave(client, page))
    provider.fails_with = fails_with
    said = client.get(back).content.decode()
    assert "Sign in at Pagebox" in said
    assert words in said
    assert not Connection.objects.exists()


def test_a_token_that_the_product_itself_refuses_is_not_stored(page: str, bob: Member, provider: Provider) -> None:
    client = signed_in(bob)
    back = come_back(leave(client, page))
    provider.server.routes["/get_page"] = lambda handler: provider.server.routes["/nowhere"](handler)
    provider.server.routes["/nowhere"] = _refuse
    assert "Pagebox refused it" in client.get(back).content.decode()
    assert not Connection.objects.exists()


def _refuse(handler: Any) -> None:
    handler.send_response(401)
    handler.send_header("Content-Length", "0")
    handler.end_headers()


def test_without_an_application_it_is_said_who_can_set_one_up(connector: Connector, app: OAuthApp, bob: Member) -> None:
    page = start(bob, "pagebox")
    app.delete()
    said = signed_in(bob).get(page).content.decode()
    assert "connector:manage" in said
    assert "<form" not in said
    error = Rpc(cast.token(bob)).call("elaichi__connection__connect", connector="pagebox")["structuredContent"]["error"]
    assert (error["code"], error["permission"]) == ("conflict", "connector:manage")
    assert error["where"].endswith("/admin/connectors/oauthapp/")


def test_an_application_that_signs_in_itself_needs_only_a_label(
    connector: Connector, bob: Member, provider: Provider
) -> None:
    register(connector, grant_type="client_credentials", scopes=["pages:read"])
    done = signed_in(bob).post(start(bob, "pagebox"), {"label": "Robot"})
    assert "is connected" in done.content.decode()
    assert provider.asked == {"client_credentials": 1}
    assert "refresh_token" not in Connection.objects.get().credential
    OAuthApp.objects.get()
    oauth_apps.save(app=OAuthApp.objects.get(), client_secret="wrong", surface=Surface.SYSTEM)
    said = signed_in(bob).post(start(bob, "pagebox"), {"label": "Other"}).content.decode()
    assert "invalid_client" in said


def test_an_account_is_signed_in_to_again(account: Account, bob: Member, bea: Member, provider: Provider) -> None:
    old = account(left=-1)
    Connection.objects.update(status=Connection.Status.NEEDS_REAUTH, status_reason="It has ended.")
    asked = {"connector": "pagebox", "connection": str(old.pk)}
    assert Rpc(cast.token(bea)).call("elaichi__connection__connect", **asked)["structuredContent"]["error"]["code"] == (
        "not_found"
    )
    url = Rpc(cast.token(bob)).call("elaichi__connection__connect", **asked)["structuredContent"]["connect_url"]
    client, page = signed_in(bob), url[url.index("/connect/") :]
    assert 'value="Main"' in client.get(page).content.decode()
    assert client.get(come_back(leave(client, page, "Main"))).status_code == 200
    renewed = Connection.objects.get()
    assert (renewed.pk, renewed.status, renewed.status_reason) == (old.pk, "active", "")
    assert renewed.credential["access_token"] != old.credential["access_token"]


def test_nothing_secret_is_written_down(page: str, bob: Member, provider: Provider, caplog: Any) -> None:
    client = signed_in(bob)
    back = come_back(leave(client, page))
    with caplog.at_level(0):
        client.get(back)
    credential = Connection.objects.get().credential.reveal()
    written = caplog.text + str(list(AuditEvent.objects.values()))
    for secret in (
        SECRET,
        credential["access_token"],
        credential["refresh_token"],
        *parse_qs(urlsplit(back).query)["state"],
    ):
        assert secret not in written
