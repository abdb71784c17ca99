"""The authorization endpoint and its consent page: who is asked what, and where a browser may be sent."""

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from accesscontrol import toolbox_choices
from accesscontrol.models import AuthorizationCode, Grant, Member, OAuthClient, Role, Surface
from accesscontrol.services import memberships, organizations
from tests.accesscontrol.oauth.browser import fields, query
from tests.accesscontrol.oauth.dance import CALLBACK, VERIFIER, Dance, outcomes

ISSUER = "http://127.0.0.1:8000"


def test_who_is_not_signed_in_signs_in_first(dance: Dance) -> None:
    for changed in ({}, {"client_id": "nobody"}, {"scope": "nonsense"}):
        answer = Client().get(dance.address(**changed))
        assert answer.status_code == 302
        assert answer["Location"].startswith("/login/?next=/oauth/authorize")


def test_the_page_says_who_asks_for_what_and_where_the_answer_goes(dance: Dance) -> None:
    page = dance.opens()
    text = page.content.decode()
    assert "A client" in text
    assert "client.example" in text
    assert "nobody has checked" in text
    assert "bob@acme.example" in text
    boxes = {field["value"]: "checked" in field for field in fields(text) if field.get("type") == "checkbox"}
    assert boxes == {"mcp:read": True, "mcp:write": False, "mcp:destructive": False, "mcp:tools": True}


def test_deleting_is_only_ever_ticked_by_hand(dance: Dance) -> None:
    asked = "mcp:read mcp:write mcp:destructive mcp:tools"
    text = dance.opens(scope=asked).content.decode()
    assert not [field for field in fields(text) if field.get("value") == "mcp:destructive" and "checked" in field]
    dance.answers(scope=asked, form={"allowed": ["mcp:read", "mcp:destructive"]})
    assert Grant.objects.get().scopes == ["mcp:destructive", "mcp:read"]


def test_a_client_that_names_no_scope_is_offered_all_but_deleting(dance: Dance) -> None:
    dance.answers(scope=None)
    assert Grant.objects.get().scopes == ["mcp:read", "mcp:tools", "mcp:write"]


def test_scopes_that_we_do_not_know_are_left_out(dance: Dance) -> None:
    assert dance.tokens(scope="openid offline_access mcp:read")["scope"] == "mcp:read"


def test_the_answer_carries_the_state_and_our_name(dance: Dance) -> None:
    location = dance.answers()["Location"]
    assert location.startswith(CALLBACK + "?")
    given = query(location)
    assert set(given) == {"code", "state", "iss"}
    assert given["state"] == "the state"
    assert given["iss"] == ISSUER


def test_deny_tells_the_client_and_makes_nothing(dance: Dance) -> None:
    given = query(dance.answers("deny")["Location"])
    assert given["error"] == "access_denied"
    assert (given["state"], given["iss"]) == ("the state", ISSUER)
    assert not Grant.objects.exists()
    assert outcomes() == ["access_denied"]


@pytest.mark.parametrize(
    "changed",
    [
        {"redirect_uri": "https://evil.example/callback"},
        {"redirect_uri": CALLBACK + "/more"},
        {"redirect_uri": CALLBACK + "?more=1"},
        {"redirect_uri": "https://client.example.evil.example/callback"},
        {"redirect_uri": "https://evil@client.example/callback"},
        {"redirect_uri": "https://client.example:444/callback"},
        {"redirect_uri": "HTTPS://CLIENT.EXAMPLE/callback/../callback"},
        {"redirect_uri": "javascript:alert(1)"},
        {"redirect_uri": "//evil.example"},
        {"client_id": "nobody"},
        {"client_id": ""},
        {"client_id": "x\x00y"},
    ],
)
@pytest.mark.parametrize("method", ["get", "post"])
def test_nobody_is_sent_to_an_address_that_was_not_registered(
    dance: Dance, changed: dict[str, str], method: str
) -> None:
    answer = getattr(dance.browser, method)(dance.address(**changed))
    assert answer.status_code == 400
    assert "Location" not in answer
    assert "evil" not in answer.content.decode()
    assert len(outcomes()) == 1


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": None}, "invalid_request"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"scope": "nonsense"}, "invalid_scope"),
        ({"resource": ""}, "invalid_target"),
        ({"resource": "https://other.example/mcp"}, "invalid_target"),
        ({"resource": [f"{ISSUER}/mcp", "https://other.example/mcp"]}, "invalid_target"),
    ],
)
@pytest.mark.parametrize("button", [None, "allow"])
def test_a_client_s_own_fault_is_told_to_it_and_never_granted(
    bob: Member, changed: dict[str, Any], error: str, button: str | None
) -> None:
    dance = Dance(bob, redirect_uris=["http://127.0.0.1/callback"])
    dance.redirect_uri = "http://127.0.0.1:5123/callback"
    address = dance.address(**changed)
    answer = dance.browser.post(address, data={button: "1"}) if button else dance.browser.get(address)
    assert answer.status_code == 302
    given = query(answer["Location"])
    assert answer["Location"].startswith("http://127.0.0.1:5123/callback?")
    assert given["error"] == error
    assert (given["state"], given["iss"]) == ("the state", ISSUER)
    assert outcomes() == [error]
    assert not Grant.objects.exists()


def test_a_stranger_s_page_is_only_reached_by_a_person_s_own_click(dance: Dance) -> None:
    answer = dance.opens(scope="nonsense")
    assert answer.status_code == 400
    assert "Location" not in answer
    assert f'href="{CALLBACK}?error=invalid_scope' in answer.content.decode()
    dance.tokens()
    assert dance.opens(scope="nonsense").status_code == 302


@pytest.mark.parametrize("resource", [None, f"{ISSUER}/mcp", f"{ISSUER}/mcp/"])
def test_our_own_resource_may_be_named_or_left_out(dance: Dance, resource: str | None) -> None:
    tokens = dance.tokens(resource=resource)
    assert dance.status_at_mcp(tokens["access_token"]) == 200


def test_the_page_is_not_framed_kept_or_posted_elsewhere(dance: Dance) -> None:
    page = dance.opens()
    policy = page["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy
    assert "form-action 'self' https://client.example https: http://127.0.0.1:* http://localhost:* cursor:" in policy
    assert page["X-Frame-Options"] == "DENY"
    assert "no-store" in page["Cache-Control"]


def test_another_site_cannot_press_the_button(dance: Dance, bob: Member) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(bob.user)
    assert strict.post(dance.address(), data={"allow": "1", "allowed": ["mcp:read"]}).status_code == 403
    assert not Grant.objects.exists()


def test_a_member_of_two_organizations_picks_one(dance: Dance, bob: Member, charlie: Member) -> None:
    second = organizations.join(
        organization=charlie.organization,
        user=bob.user,
        role=Role.objects.get(organization=charlie.organization, slug="member"),
        surface=Surface.SYSTEM,
    )
    text = dance.opens().content.decode()
    assert [field["value"] for field in fields(text) if field.get("type") == "radio"] == [str(bob.pk), str(second.pk)]
    dance.answers(form={"member": str(second.pk)})
    assert Grant.objects.get().member == second


def test_nobody_consents_for_somebody_else(dance: Dance, alice: Member, charlie: Member) -> None:
    for member in (alice, charlie):
        assert dance.answers(form={"member": str(member.pk)}).status_code == 400
    assert not Grant.objects.exists()


def test_who_belongs_to_no_organization_is_told_so(bob: Member) -> None:
    dance = Dance(bob)
    memberships.suspend(member=bob, surface=Surface.SYSTEM)
    for answer in (dance.opens(), dance.browser.post(dance.address(), data={"allow": "1", "member": str(bob.pk)})):
        assert answer.status_code == 403
        assert "not an active member" in answer.content.decode()
    assert not AuthorizationCode.objects.exists()


def test_nothing_ticked_is_no_consent(dance: Dance) -> None:
    answer = dance.answers(form={"allowed": []})
    assert answer.status_code == 400
    assert "Tick at least one thing" in answer.content.decode()


def test_toolboxes_are_offered_where_there_are_any(dance: Dance, bob: Member, monkeypatch: pytest.MonkeyPatch) -> None:
    box = toolbox_choices.ToolboxChoice(id=uuid4(), name="Support desk")
    monkeypatch.setattr(toolbox_choices, "_provider", lambda member: [box] if member == bob else [])
    assert "Support desk" in dance.opens().content.decode()
    assert dance.answers(form={"only": [str(uuid4())]}).status_code == 400
    dance.answers(form={"only": [str(box.id)]})
    assert Grant.objects.get().toolboxes == [box.id]


def test_a_code_is_bound_to_the_port_that_was_asked_for(bob: Member) -> None:
    dance = Dance(bob, redirect_uris=["http://localhost:8787/callback"])
    dance.redirect_uri = "http://localhost:49152/callback"
    code = dance.code()
    assert dance.exchanges(code, redirect_uri="http://localhost:8787/callback").status_code >= 400
    assert dance.exchanges(code, code_verifier=VERIFIER).status_code == 200


def test_names_are_shown_as_text(bob: Member) -> None:
    dance = Dance(bob, client_name="<b>Claude</b>\u202e \x00\n official " + "x" * 300)
    text = dance.opens().content.decode()
    assert "<b>Claude" not in text
    assert "\u202e" not in text
    assert len(OAuthClient.objects.get().name) == 100
