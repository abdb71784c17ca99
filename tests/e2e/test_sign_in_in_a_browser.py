"""A person signs in, consents and is sent back to the client, all in one go in a real browser.

Chromium holds a posted form, and every redirect that follows it, to the page's `form-action`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from urllib.parse import urlencode

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher, make_password

from accesscontrol.models import Grant, Member, OAuthClient
from accesscontrol.oauth import registration
from accesscontrol.oauth.client_metadata import narrowed
from tests import cast
from tests.accesscontrol.oauth.browser import query
from tests.accesscontrol.oauth.dance import challenge
from tests.browser import Waited
from tests.connectors.execution.certificate import self_signed, serving_over_tls
from tests.connectors.execution.upstream import Server, respond, serving
from tests.e2e.conftest import Gateway


@contextmanager
def client_at(kind: str, folder: Path) -> Iterator[tuple[Server, str]]:
    """A server that waits for an answer, and the address that the client has registered."""
    if kind == "https":
        with serving_over_tls(self_signed("localhost", folder)) as server:
            server.routes["/callback"] = respond(200, b"Done")
            yield server, f"https://localhost:{server.server_port}/callback"
    else:
        with serving(Server()) as server:
            server.routes["/callback"] = respond(200, b"Done")
            yield server, f"http://{'localhost' if kind == 'localhost' else '127.0.0.1'}:{server.server_port}/callback"


@pytest.fixture
def page(browser: Waited) -> Iterator[Waited]:
    context = browser.new_context(ignore_https_errors=True)
    yield context.new_page()
    context.close()


@pytest.fixture
def dora(dora: Member) -> Member:
    # The gateway knows the hashers of production, and not the cheap one that makes the cast.
    dora.user.password = make_password(
        cast.PASSWORD,
        hasher=PBKDF2PasswordHasher(),
    )
    dora.user.save()
    return dora


def registered(uri: str) -> str:
    client_id: str = registration.register(narrowed({"client_name": "An app", "redirect_uris": [uri]}))["client_id"]
    return client_id


def asks(gateway: Gateway, client_id: str, uri: str, **changed: str) -> str:
    asked = {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": uri,
        "state": "the state",
        "scope": "mcp:read",
        "code_challenge": challenge(),
        "code_challenge_method": "S256",
        **changed,
    }
    return f"{gateway.url}/oauth/authorize?{urlencode(asked)}"


def signs_in(page: Waited, address: str, member: Member) -> None:
    page.goto(address)
    page.fill("input[name=username]", member.user.email)
    page.fill("input[name=password]", cast.PASSWORD)
    page.click("button:text('Sign in')")


@pytest.mark.parametrize("kind", ["loopback", "localhost", "https"])
def test_from_signing_in_through_consent_to_the_client(
    gateway: Gateway, dora: Member, page: Waited, tmp_path: Path, kind: str
) -> None:
    with client_at(kind, tmp_path) as (server, uri):
        signs_in(page, asks(gateway, registered(uri), uri), dora)
        page.click("button:text('Allow')")
        page.wait_for_url(f"{uri}?*")
        answer = query(next(one.target for one in server.received if one.target.startswith("/callback")))
    assert set(answer) == {"code", "state", "iss"}
    assert Grant.objects.get().member == dora


@pytest.mark.parametrize("scope", ["mcp:read", "nonsense"])
def test_a_program_that_is_called_by_an_address_of_its_own(
    gateway: Gateway, dora: Member, page: Waited, scope: str
) -> None:
    """Cursor itself is not here: what counts is that the browser calls for it and holds nothing back."""
    uri = "cursor://anysphere.cursor-mcp/oauth/callback"
    called: SimpleQueue[str] = SimpleQueue()
    said: list[str] = []
    page.on("requestfailed", lambda request: called.put(request.url))
    page.on("console", lambda message: said.append(message.text))
    signs_in(page, asks(gateway, registered(uri), uri, scope=scope), dora)
    if scope == "mcp:read":
        page.click("button:text('Allow')")
    assert called.get(timeout=10).startswith(uri + ("?code=" if scope == "mcp:read" else "?error=invalid_scope"))
    assert said == []


@pytest.mark.parametrize("kind", ["loopback", "https"])
def test_who_signs_in_is_sent_on_at_once_where_the_client_has_asked_wrongly(
    gateway: Gateway, dora: Member, page: Waited, tmp_path: Path, kind: str
) -> None:
    with client_at(kind, tmp_path) as (server, uri):
        client_id = registered(uri)
        Grant.objects.create(
            member=dora, kind="oauth", client=OAuthClient.objects.get(), client_name="An app", scopes=["mcp:read"]
        )
        signs_in(page, asks(gateway, client_id, uri, scope="nonsense"), dora)
        page.wait_for_url(f"{uri}?*")
        answer = query(next(one.target for one in server.received if one.target.startswith("/callback")))
    assert (answer["error"], answer["state"]) == ("invalid_scope", "the state")


def test_a_client_s_page_may_send_its_person_on(gateway: Gateway, dora: Member, page: Waited, tmp_path: Path) -> None:
    with client_at("https", tmp_path) as (server, uri), client_at("loopback", tmp_path) as (home, after):
        server.routes["/callback"] = respond(302, Location=after)
        signs_in(page, asks(gateway, registered(uri), uri), dora)
        page.click("button:text('Allow')")
        page.wait_for_url(after)
        assert home.received
