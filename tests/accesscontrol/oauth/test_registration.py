"""Registering: what a client asks for too much is left out, and refused is only what could never work."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accesscontrol.models import Member, OAuthClient
from accesscontrol.oauth.redirects import is_acceptable
from accesscontrol.tasks import sweep_oauth
from tests.accesscontrol.oauth.dance import CALLBACK, Dance


def register(**said: Any) -> Any:
    return Client().post("/oauth/register", data=said, content_type="application/json")


# As each of them asks; the redirect is the one its sign-in then uses.
CLIENTS = {
    "Claude": (
        {
            "client_name": "Claude",
            "redirect_uris": ["https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback"],
            "grant_types": [
                "authorization_code",
                "refresh_token",
                "urn:ietf:params:oauth:grant-type:jwt-bearer",
            ],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
            "scope": "mcp:read mcp:write mcp:tools",
        },
        "https://claude.ai/api/mcp/auth_callback",
    ),
    "Claude Code": (
        {
            "client_name": "Claude Code (elaichi)",
            "redirect_uris": ["http://localhost:8787/callback"],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        },
        "http://localhost:54321/callback",
    ),
    "ChatGPT": (
        {
            "client_name": "ChatGPT",
            "redirect_uris": [
                "https://chatgpt.com/connector_platform_oauth_redirect",
                "https://chatgpt.com/connector/oauth/a1b2c3",
            ],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "client_secret_post",
        },
        "https://chatgpt.com/connector/oauth/a1b2c3",
    ),
    "Cursor": (
        {
            "client_name": "Cursor",
            "redirect_uris": ["cursor://anysphere.cursor-mcp/oauth/callback"],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        },
        "cursor://anysphere.cursor-mcp/oauth/callback",
    ),
    "VS Code": (
        {
            "client_name": "Visual Studio Code",
            "client_uri": "https://code.visualstudio.com",
            "redirect_uris": [
                "https://insiders.vscode.dev/redirect",
                "https://vscode.dev/redirect",
                "http://127.0.0.1/",
                "http://127.0.0.1:33418/",
            ],
            "grant_types": [
                "authorization_code",
                "refresh_token",
                "urn:ietf:params:oauth:grant-type:device_code",
            ],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
            "application_type": "native",
        },
        "http://127.0.0.1:33418/",
    ),
}


@pytest.mark.parametrize("name", CLIENTS)
def test_the_clients_of_the_field_register_sign_in_refresh_and_call(bob: Member, name: str) -> None:
    said, redirect_uri = CLIENTS[name]
    dance = Dance(bob, **said)
    dance.redirect_uri = redirect_uri
    assert dance.client["grant_types"] == ["authorization_code", "refresh_token"]
    assert dance.client["redirect_uris"] == said["redirect_uris"]
    secret = {"client_secret": dance.client["client_secret"]} if "client_secret" in dance.client else {}
    assert bool(secret) == (name == "ChatGPT")
    answer = dance.answers(resource="http://127.0.0.1:8000/mcp", scope="mcp:read mcp:write mcp:tools")
    assert answer["Location"].startswith(redirect_uri + "?")
    code = answer["Location"].partition("code=")[2].partition("&")[0]
    tokens = dance.exchanges(code, resource="http://127.0.0.1:8000/mcp", **secret).json()
    tokens = dance.refreshes(tokens["refresh_token"], **secret).json()
    assert dance.status_at_mcp(tokens["access_token"]) == 200


@pytest.mark.django_db
def test_only_the_redirects_that_can_be_used_are_kept() -> None:
    answer = register(redirect_uris=["myapp://callback", CALLBACK, "http://intranet.example/cb", 7, CALLBACK])
    assert answer.status_code == 201
    assert answer.json()["redirect_uris"] == [CALLBACK]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("said", "error"),
    [
        ({"redirect_uris": ["myapp://callback", "http://intranet.example/cb"]}, "invalid_redirect_uri"),
        ({"redirect_uris": []}, "invalid_redirect_uri"),
        ({"redirect_uris": CALLBACK}, "invalid_redirect_uri"),
        ({}, "invalid_redirect_uri"),
        ({"redirect_uris": [CALLBACK], "grant_types": ["client_credentials"]}, "invalid_client_metadata"),
        ({"redirect_uris": [CALLBACK], "grant_types": "authorization_code"}, "invalid_client_metadata"),
        ({"redirect_uris": [CALLBACK], "response_types": ["token"]}, "invalid_client_metadata"),
    ],
)
def test_what_could_never_work_is_refused(said: dict[str, Any], error: str) -> None:
    answer = register(**said)
    assert answer.status_code == 400
    assert answer.json()["error"] == error
    assert not OAuthClient.objects.exists()


@pytest.mark.parametrize(
    "uri",
    [
        "http://client.example/callback",
        "http://127.0.0.1.evil.example/",
        "http://localhost@evil.example/",
        "https://evil.example/#fragment",
        "https:///path",
        "https://*.example/cb",
        "https://client.example:port/",
        "https://client.example/a b",
        "https://client.example\\@evil.example",
        "javascript:alert(1)//https://client.example",
        "data:text/html,x",
        "cursor:callback",
        "CURSOR",
        "",
        None,
        "https://client.example/" + "x" * 1000,
    ],
)
def test_an_address_that_could_lead_elsewhere_is_none(uri: object) -> None:
    assert not is_acceptable(uri)


@pytest.mark.django_db
@pytest.mark.parametrize("body", [b"", b"[]", b"no json", b"null", b'"text"'])
def test_what_is_no_object_is_refused(body: bytes) -> None:
    assert Client().post("/oauth/register", data=body, content_type="application/json").status_code == 400


@pytest.mark.django_db
def test_a_public_client_gets_no_secret_and_another_s_is_kept_as_a_digest() -> None:
    public = register(redirect_uris=[CALLBACK]).json()
    assert "client_secret" not in public
    assert public["token_endpoint_auth_method"] == "none"
    secret = register(redirect_uris=[CALLBACK], token_endpoint_auth_method="client_secret_basic").json()
    assert secret["client_secret"] not in str(list(OAuthClient.objects.values()))


@pytest.mark.django_db
def test_one_address_registers_only_so_many() -> None:
    answers = [register(redirect_uris=[CALLBACK]).status_code for _ in range(61)]
    assert answers == [201] * 60 + [429]
    forged = Client().post(
        "/oauth/register",
        data={"redirect_uris": [CALLBACK]},
        content_type="application/json",
        headers={"X-Forwarded-For": "203.0.113.9"},
    )
    assert forged.status_code == 429
    assert forged["Retry-After"]
    cache.clear()
    assert register(redirect_uris=[CALLBACK]).status_code == 201


def test_clients_that_never_finished_are_swept(bob: Member) -> None:
    finished, idle, fresh = Dance(bob), Dance(bob), Dance(bob)
    finished.tokens()
    OAuthClient.objects.exclude(client_id=fresh.client["client_id"]).update(
        created=timezone.now() - timedelta(days=1, minutes=1)
    )
    operators = OAuthClient.objects.create(
        client_type="confidential", authorization_grant_type="authorization-code", redirect_uris=CALLBACK
    )
    OAuthClient.objects.filter(pk=operators.pk).update(created=timezone.now() - timedelta(days=400))
    sweep_oauth()
    left = set(OAuthClient.objects.values_list("client_id", flat=True))
    assert left == {finished.client["client_id"], fresh.client["client_id"], operators.client_id}
    assert idle.client["client_id"] not in left
