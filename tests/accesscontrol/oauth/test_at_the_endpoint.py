"""A client's token at /mcp: for us alone, in its header, and within the scopes that were consented to."""

from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from accesscontrol.bearer_secrets import digest
from accesscontrol.exceptions import InvalidToken
from accesscontrol.models import AccessToken, Grant, Member, OAuthClient, Surface
from accesscontrol.permissions import Scope
from accesscontrol.services import grants
from tests import cast
from tests.accesscontrol.oauth.dance import CALLBACK, Dance, outcomes
from tests.search.mcp.rpc import LEGACY, MODERN, Rpc


def test_authentication_takes_one_query_for_a_signed_in_client_too(
    dance: Dance, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    token = dance.tokens()["access_token"]
    grants.authenticate(token)
    with django_assert_num_queries(1):
        caller = grants.authenticate(token)
        assert caller.organization.version
        assert caller.member.role.permissions


@pytest.mark.parametrize("resource", ["", "https://other.example/mcp", "http://127.0.0.1:8000"])
def test_a_token_for_nobody_or_for_another_is_refused(dance: Dance, resource: str) -> None:
    token = dance.tokens()["access_token"]
    AccessToken.objects.update(resource=resource)
    assert dance.status_at_mcp(token) == 401
    assert outcomes() == ["wrong_audience"]


def test_a_refresh_token_or_a_code_opens_nothing(dance: Dance) -> None:
    code = dance.code()
    tokens = dance.exchanges(code).json()
    for secret in (code, tokens["refresh_token"], tokens["access_token"].removeprefix("elaichi-access_")):
        assert dance.status_at_mcp(secret) == 401


@pytest.mark.parametrize("in_header_too", [False, True])
def test_a_token_in_the_address_is_refused_and_told(dance: Dance, bob: Member, in_header_too: bool) -> None:
    for token in (dance.tokens()["access_token"], cast.token(bob)):
        headers = {"Authorization": f"Bearer {token}"} if in_header_too else {}
        answer = Client().post(
            f"/mcp?access_token={token}",
            data={"jsonrpc": "2.0", "id": 1, "method": "ping"},
            content_type="application/json",
            headers=headers,
        )
        assert answer.status_code == 401
        assert answer["WWW-Authenticate"].startswith('Bearer error="invalid_token"')
    assert outcomes() == ["token_in_address"] * 2


def test_the_tokens_of_one_organization_lead_to_that_one_alone(dance: Dance, charlie: Member) -> None:
    other = Dance(charlie)
    first, second = (one.tokens()["access_token"] for one in (dance, other))
    assert grants.authenticate(first).organization != grants.authenticate(second).organization
    grants.revoke(grant=Grant.objects.get(member=charlie), reason="a test", surface=Surface.SYSTEM)
    assert dance.status_at_mcp(first) == 200
    assert dance.status_at_mcp(second) == 401


def test_a_toolbox_choice_comes_with_the_caller(dance: Dance) -> None:
    token = dance.tokens()["access_token"]
    assert grants.authenticate(token).toolboxes is None
    box = "0190a5e0-0000-7000-8000-000000000001"
    Grant.objects.update(toolboxes=[box])
    toolboxes = grants.authenticate(token).toolboxes
    assert toolboxes is not None
    assert [str(one) for one in toolboxes] == [box]


def delete_page(token: str, version: str) -> Any:
    return Rpc(token, version=version).send("tools/call", {"name": "notion_delete_page", "arguments": {}})


def test_a_modern_client_is_asked_to_get_the_scope_that_it_lacks(dance: Dance, bob: Member) -> None:
    notion = cast.connector(bob.organization)
    cast.tool(notion, "delete_page", "Delete a page", method="DELETE")
    cast.connection(bob, notion)
    token = dance.tokens()["access_token"]
    answer = delete_page(token, MODERN)
    assert answer.status_code == 403
    assert answer["WWW-Authenticate"] == (
        'Bearer error="insufficient_scope", '
        'resource_metadata="http://127.0.0.1:8000/.well-known/oauth-protected-resource/mcp", '
        'scope="mcp:destructive mcp:read mcp:tools"'
    )
    assert answer.json()["error"]["data"] == {"scope": "mcp:destructive"}
    for told in (delete_page(token, LEGACY), delete_page(cast.token(bob, scopes=[Scope.TOOLS]), MODERN)):
        assert told.status_code == 200
        assert told.json()["result"]["structuredContent"]["error"]["code"] == "scope_required"


def service(**fields: Any) -> dict[str, str]:
    OAuthClient.objects.create(
        client_id="our-service",
        client_type=fields.get("client_type", "confidential"),
        authorization_grant_type="authorization-code",
        redirect_uris=CALLBACK,
        client_secret=digest("the service's secret"),
        hash_client_secret=False,
    )
    return {"client_id": "our-service", "client_secret": "the service's secret"}


def test_our_own_service_learns_what_a_token_stands_for(dance: Dance, bob: Member) -> None:
    token = dance.tokens()["access_token"]
    known = service()
    told = dance.posts("/oauth/introspect", token=token, **known).json()
    row = AccessToken.objects.get()
    assert told == {
        "active": True,
        "scope": "mcp:read mcp:tools",
        "sub": str(bob.pk),
        "username": bob.user.email,
        "token_type": "Bearer",
        "iss": "http://127.0.0.1:8000",
        "aud": "http://127.0.0.1:8000/mcp",
        "exp": int(row.expires_at.timestamp()),
        "iat": int(row.created_at.timestamp()),
    }
    assert dance.posts("/oauth/introspect", token="unknown", **known).json() == {"active": False}


def test_nobody_else_learns_it(dance: Dance, bob: Member) -> None:
    token = dance.tokens()["access_token"]
    stranger = Dance(bob, token_endpoint_auth_method="client_secret_post").client
    known = service()
    for who in (
        {},
        {**known, "client_secret": "wrong"},
        {"client_id": "our-service", "client_secret": ""},
        {"client_id": stranger["client_id"], "client_secret": stranger["client_secret"]},
    ):
        answer = dance.posts("/oauth/introspect", token=token, **who)
        assert answer.status_code == 401
        assert "active" not in answer.json()


@pytest.mark.parametrize("token", ["", "elaichi-access_", "elaichi-access_x", "elaichi-refresh_x", "\ud800"])
def test_what_was_never_given_out_is_unknown(db: None, token: str) -> None:
    with pytest.raises(InvalidToken):
        grants.authenticate(token)
