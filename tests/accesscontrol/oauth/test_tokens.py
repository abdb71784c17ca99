"""The token endpoint: a code and each refresh token work once, for their client, and what does not fit is refused."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accesscontrol.models import AccessToken, AuditEvent, AuthorizationCode, Grant, Member, RefreshToken, Surface
from accesscontrol.services import grants, memberships
from tests.accesscontrol.oauth.dance import CALLBACK, Dance, outcomes


def test_a_code_becomes_tokens_that_work_at_the_endpoint(dance: Dance, bob: Member) -> None:
    tokens = dance.tokens()
    assert tokens["token_type"] == "Bearer"
    assert tokens["expires_in"] == 3600
    assert tokens["scope"].split() == ["mcp:read", "mcp:tools"]
    assert dance.status_at_mcp(tokens["access_token"]) == 200
    caller = grants.authenticate(tokens["access_token"])
    assert caller.member == bob
    assert sorted(caller.scopes) == ["mcp:read", "mcp:tools"]
    assert caller.client == "A client"


def test_nothing_in_the_database_lets_anybody_in(dance: Dance) -> None:
    code = dance.code()
    tokens = dance.exchanges(code).json()
    stored = [
        list(model.objects.values()) for model in (Grant, AuthorizationCode, AccessToken, RefreshToken, AuditEvent)
    ]
    for secret in (code, tokens["access_token"], tokens["refresh_token"]):
        assert secret not in str(stored)
        assert secret.removeprefix("elaichi-access_").removeprefix("elaichi-refresh_") not in str(stored)


@pytest.mark.parametrize(
    ("changed", "error", "trace"),
    [
        ({"code_verifier": None}, "invalid_request", "invalid_request"),
        ({"code_verifier": "another-verifier-that-is-long-enough-0123456789"}, "invalid_grant", "invalid_grant"),
        ({"redirect_uri": "https://client.example/other"}, "invalid_request", "invalid_request"),
    ],
)
def test_a_code_without_what_belongs_to_it_is_refused(
    dance: Dance, changed: dict[str, str], error: str, trace: str
) -> None:
    answer = dance.exchanges(dance.code(), **changed)
    assert answer.status_code in (400, 401)
    assert answer.json()["error"] == error
    assert outcomes() == [trace]
    assert not AccessToken.objects.exists()


def test_another_client_s_code_is_refused_and_told_to_the_organization(dance: Dance, bob: Member) -> None:
    code = dance.code()
    answer = Dance(bob).exchanges(code)
    assert answer.json()["error"] == "invalid_grant"
    assert outcomes() == ["wrong_client"]


def test_a_code_is_good_for_a_minute(dance: Dance) -> None:
    code = dance.code()
    AuthorizationCode.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert dance.exchanges(code).json()["error"] == "invalid_grant"
    assert outcomes() == ["expired"]


def test_a_code_that_comes_twice_ends_what_it_gave(dance: Dance) -> None:
    code = dance.code()
    tokens = dance.exchanges(code).json()
    assert dance.exchanges(code).json()["error"] == "invalid_grant"
    assert dance.status_at_mcp(tokens["access_token"]) == 401
    assert dance.refreshes(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert outcomes("grant.code_reuse") == ["refused"]
    assert AuditEvent.objects.filter(action="grant.revoke").count() == 1


@pytest.mark.parametrize("resource", ["", "https://other.example/mcp", "http://127.0.0.1:8000", "not a uri"])
def test_another_audience_is_refused_at_the_token_endpoint(dance: Dance, resource: str) -> None:
    answer = dance.exchanges(dance.code(), resource=resource)
    assert answer.status_code == 400
    assert answer.json()["error"] == "invalid_target"
    tokens = dance.tokens()
    assert dance.refreshes(tokens["refresh_token"], resource=resource).json()["error"] == "invalid_target"


def test_each_refresh_gives_a_new_pair_and_ends_the_old_one(dance: Dance) -> None:
    first = dance.tokens()
    second = dance.refreshes(first["refresh_token"]).json()
    assert second["access_token"] != first["access_token"]
    assert second["refresh_token"] != first["refresh_token"]
    assert dance.status_at_mcp(first["access_token"]) == 401
    assert dance.status_at_mcp(second["access_token"]) == 200
    assert Grant.objects.count() == 1


def test_a_refresh_token_that_comes_twice_ends_the_whole_family(dance: Dance) -> None:
    first = dance.tokens()
    second = dance.refreshes(first["refresh_token"]).json()
    third = dance.refreshes(second["refresh_token"]).json()
    assert dance.refreshes(first["refresh_token"]).json()["error"] == "invalid_grant"
    assert dance.status_at_mcp(third["access_token"]) == 401
    assert dance.refreshes(third["refresh_token"]).json()["error"] == "invalid_grant"
    assert outcomes("grant.refresh_reuse") == ["refused"]
    assert not RefreshToken.objects.exists()


def test_a_refresh_may_ask_less_and_never_more(dance: Dance) -> None:
    tokens = dance.tokens()
    answer = dance.refreshes(tokens["refresh_token"], scope="mcp:read mcp:destructive")
    assert answer.json()["error"] == "invalid_scope"
    assert outcomes() == ["invalid_scope"]
    narrowed = dance.refreshes(tokens["refresh_token"], scope="mcp:read").json()
    assert narrowed["scope"] == "mcp:read"
    assert grants.authenticate(narrowed["access_token"]).scopes == {"mcp:read"}
    assert dance.refreshes(narrowed["refresh_token"]).json()["scope"].split() == ["mcp:read", "mcp:tools"]


def test_another_client_s_refresh_token_is_refused(dance: Dance, bob: Member) -> None:
    tokens = dance.tokens()
    assert Dance(bob).refreshes(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert outcomes() == ["wrong_client"]
    assert dance.status_at_mcp(tokens["access_token"]) == 200


def test_a_client_that_was_idle_for_too_long_asks_again(dance: Dance) -> None:
    tokens = dance.tokens()
    Grant.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert dance.refreshes(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert dance.status_at_mcp(tokens["access_token"]) == 401


def test_suspending_deletes_codes_and_tokens_in_the_same_transaction(dance: Dance, bob: Member) -> None:
    tokens, code = dance.tokens(), dance.code()
    memberships.suspend(member=bob, surface=Surface.SYSTEM)
    for model in (AuthorizationCode, AccessToken, RefreshToken):
        assert not model.objects.exists()
    assert not Grant.objects.filter(revoked_at__isnull=True).exists()
    assert dance.status_at_mcp(tokens["access_token"]) == 401
    assert dance.exchanges(code).json()["error"] == "invalid_grant"
    assert dance.refreshes(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    memberships.reinstate(member=bob, surface=Surface.SYSTEM)
    assert dance.refreshes(tokens["refresh_token"]).json()["error"] == "invalid_grant"


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
def test_a_client_gives_its_grant_back(dance: Dance, kind: str) -> None:
    tokens = dance.tokens()
    for hint in (kind, "nonsense"):
        assert dance.posts("/oauth/revoke", token=tokens[kind], token_type_hint=hint).status_code in (200, 400)
    assert dance.posts("/oauth/revoke", token=tokens[kind]).status_code == 200
    assert dance.status_at_mcp(tokens["access_token"]) == 401
    assert Grant.objects.get().revoked_reason == "given back by the client"


def test_a_client_cannot_give_back_another_s_grant(dance: Dance, bob: Member) -> None:
    tokens = dance.tokens()
    assert Dance(bob).posts("/oauth/revoke", token=tokens["refresh_token"]).status_code == 200
    assert dance.status_at_mcp(tokens["access_token"]) == 200


def test_a_client_with_a_secret_has_to_know_it(bob: Member) -> None:
    dance = Dance(bob, token_endpoint_auth_method="client_secret_post")
    code = dance.code()
    assert dance.exchanges(code).json()["error"] == "invalid_client"
    assert dance.exchanges(code, client_secret="wrong").json()["error"] == "invalid_client"
    assert dance.exchanges(code, client_secret=dance.client["client_secret"]).status_code == 200


def test_a_public_client_has_no_secret_to_guess(dance: Dance) -> None:
    assert dance.exchanges(dance.code(), client_secret="x").json()["error"] == "invalid_client"


@pytest.mark.parametrize("grant_type", ["password", "client_credentials", "implicit", "", "nonsense"])
def test_no_other_grant_is_served(dance: Dance, grant_type: str) -> None:
    answer = dance.posts(grant_type=grant_type, username="bob@acme.example", password="x", scope="mcp:read")
    assert answer.status_code == 400
    assert answer.json()["error"] == "unsupported_grant_type"


def test_an_unknown_client_is_refused(dance: Dance) -> None:
    assert dance.exchanges(dance.code(), client_id="nobody").json()["error"] == "invalid_client"
    assert dance.exchanges(dance.code(), client_id="x\x00").json()["error"] == "invalid_client"


def test_a_narrowed_grant_counts_on_the_next_call(dance: Dance) -> None:
    tokens = dance.tokens()
    Grant.objects.update(scopes=["mcp:read"])
    assert grants.authenticate(tokens["access_token"]).scopes == {"mcp:read"}
    assert dance.refreshes(tokens["refresh_token"]).json()["scope"] == "mcp:read"


def test_answers_with_tokens_are_kept_by_no_cache(dance: Dance) -> None:
    answer = dance.exchanges(dance.code())
    assert answer["Cache-Control"] == "no-store"
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert CALLBACK not in answer.content.decode()
