"""Each way of getting at a grant that is not one's own: refused, and told to the organization that it concerns."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accesscontrol.models import (
    AccessToken,
    AuditEvent,
    EndedSecret,
    Grant,
    Member,
    Organization,
    RefreshToken,
    Surface,
)
from accesscontrol.services import grants, memberships
from accesscontrol.services.oauth_sweep import sweep
from tests import cast
from tests.accesscontrol.oauth.dance import Dance

ELSEWHERE = "https://other.example/mcp"


def told(organization: Organization) -> list[tuple[str, str]]:
    rows = AuditEvent.objects.of(organization).exclude(outcome="ok").order_by("at")
    return [
        (action, outcome) for action, outcome in rows.values_list("action", "outcome") if action.startswith("grant")
    ]


@pytest.mark.parametrize("resource", [ELSEWHERE, ""])
def test_a_code_and_a_refresh_token_asked_for_another_audience(dance: Dance, acme: Organization, resource: str) -> None:
    code = dance.code()
    assert dance.exchanges(code, resource=resource).json()["error"] == "invalid_target"
    tokens = dance.exchanges(code).json()
    assert dance.refreshes(tokens["refresh_token"], resource=resource).json()["error"] == "invalid_target"
    assert told(acme) == [("grant.refused", "invalid_target")] * 2
    assert dance.refreshes(tokens["refresh_token"]).status_code == 200


def test_an_audience_asked_for_with_a_code_that_nobody_gave_out(dance: Dance) -> None:
    """Whose it would be cannot be known, so no organization is told."""
    assert dance.exchanges("nobody's", resource=ELSEWHERE).json()["error"] == "invalid_target"
    assert not AuditEvent.objects.filter(action="grant.refused").exists()


@pytest.mark.parametrize("resource", [ELSEWHERE, ""])
def test_a_token_for_another_audience_or_for_none_at_the_endpoint(
    dance: Dance, acme: Organization, resource: str
) -> None:
    token = dance.tokens()["access_token"]
    AccessToken.objects.update(resource=resource)
    assert dance.status_at_mcp(token) == 401
    assert told(acme) == [("grant.refused", "wrong_audience")]


def test_a_consent_for_a_membership_in_another_organization(dance: Dance, acme: Organization, charlie: Member) -> None:
    assert dance.answers(form={"member": str(charlie.pk)}).status_code == 400
    assert told(acme) == [("grant.refused", "wrong_organization")]
    assert told(charlie.organization) == []


def test_another_organization_s_code_or_refresh_token(dance: Dance, acme: Organization, charlie: Member) -> None:
    """The organization whose grant it is hears of it; the one that tried is known by nothing but a client's id."""
    stranger = Dance(charlie)
    code = dance.code()
    assert stranger.exchanges(code).json()["error"] == "invalid_grant"
    tokens = dance.exchanges(code).json()
    assert stranger.refreshes(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert told(acme) == [("grant.refused", "wrong_client")] * 2
    assert told(charlie.organization) == []


def test_a_code_without_its_verifier(dance: Dance, acme: Organization) -> None:
    assert dance.exchanges(dance.code(), code_verifier=None).status_code == 400
    assert told(acme) == [("grant.refused", "invalid_request")]


def test_a_code_that_comes_again_also_when_its_grant_has_ended_by_then(dance: Dance, acme: Organization) -> None:
    code = dance.code()
    dance.exchanges(code)
    for _ in range(2):
        assert dance.exchanges(code).json()["error"] == "invalid_grant"
    assert told(acme) == [("grant.code_reuse", "refused"), ("grant.refused", "revoked")]


def test_a_refresh_token_that_comes_again_also_when_its_grant_has_ended_by_then(
    dance: Dance, acme: Organization
) -> None:
    first = dance.tokens()["refresh_token"]
    second = dance.refreshes(first).json()["refresh_token"]
    for token in (first, first, second):
        assert dance.refreshes(token).json()["error"] == "invalid_grant"
    assert told(acme) == [("grant.refresh_reuse", "refused"), *[("grant.refused", "revoked")] * 2]


def end_it(grant: Grant) -> None:
    grants.revoke(grant=grant, reason="a test", surface=Surface.SYSTEM)


def suspend(grant: Grant) -> None:
    memberships.suspend(member=grant.member, surface=Surface.SYSTEM)


@pytest.mark.parametrize("ending", [end_it, suspend])
def test_whatever_ended_with_its_grant(dance: Dance, acme: Organization, ending: Any) -> None:
    code = dance.code()
    tokens = dance.exchanges(code).json()
    ending(Grant.objects.get())
    assert not AccessToken.objects.exists()
    assert not RefreshToken.objects.exists()
    assert dance.status_at_mcp(tokens["access_token"]) == 401
    assert dance.refreshes(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert dance.exchanges(code).json()["error"] == "invalid_grant"
    assert told(acme) == [("grant.refused", "revoked")] * 3


def test_what_ended_long_ago_is_merely_unknown(dance: Dance, acme: Organization) -> None:
    token = dance.tokens()["refresh_token"]
    end_it(Grant.objects.get())
    sweep(now=timezone.now() + timedelta(days=29))
    assert EndedSecret.objects.exists()
    sweep(now=timezone.now() + timedelta(days=31))
    assert not EndedSecret.objects.exists()
    assert dance.refreshes(token).json()["error"] == "invalid_grant"
    assert told(acme) == []


@pytest.mark.parametrize("ended", [False, True])
def test_a_token_in_the_address(dance: Dance, acme: Organization, bob: Member, ended: bool) -> None:
    for token in (dance.tokens()["access_token"], cast.token(bob)):
        if ended:
            end_it(Grant.objects.latest("created_at"))
        message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        answer = Client().post(f"/mcp?access_token={token}", data=message, content_type="application/json")
        assert answer.status_code == 401
    assert told(acme) == [("grant.refused", "token_in_address")] * 2


def test_more_scopes_at_a_refresh_than_were_consented_to(dance: Dance, acme: Organization) -> None:
    tokens = dance.tokens()
    assert dance.refreshes(tokens["refresh_token"], scope="mcp:destructive").json()["error"] == "invalid_scope"
    assert told(acme) == [("grant.refused", "invalid_scope")]


@pytest.mark.parametrize("changed", [{"redirect_uri": "https://evil.example/cb"}, {"client_id": "nobody"}])
def test_a_redirect_to_elsewhere_in_the_browser_of_somebody_who_is_signed_in(
    dance: Dance, acme: Organization, changed: dict[str, str]
) -> None:
    assert dance.opens(**changed).status_code == 400
    [(action, outcome)] = told(acme)
    assert action == "grant.refused"
    assert outcome in ("invalid_request", "mismatching_redirect_uri", "invalid_client_id", "invalid_client")


def test_a_redirect_to_elsewhere_in_the_browser_of_nobody(dance: Dance) -> None:
    """Nobody is sent anywhere but to sign in, and until somebody does there is no organization to tell."""
    answer = Client().get(dance.address(redirect_uri="https://evil.example/cb"))
    assert answer["Location"].startswith("/login/?next=/oauth/authorize")
    assert not AuditEvent.objects.filter(action="grant.refused").exists()


def test_a_token_that_nobody_gave_out(dance: Dance) -> None:
    """It belongs to no organization; the web server's log has the request."""
    for token in ("elaichi_x", "elaichi-access_x", ""):
        assert dance.status_at_mcp(token) == 401
    assert dance.refreshes("elaichi-refresh_x").json()["error"] == "invalid_grant"
    assert not AuditEvent.objects.filter(action="grant.refused").exists()
