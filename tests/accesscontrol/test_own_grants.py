"""What acts for somebody: their own page lists it, ends it, and makes personal tokens."""

from datetime import timedelta
from typing import Any

from django.test import Client
from django.utils import timezone

from accesscontrol.models import AuditEvent, Grant, Member, Surface
from accesscontrol.services import grants, memberships
from tests import cast
from tests.accesscontrol.oauth.dance import Dance

ASKED = {"name": "My script", "scopes": ["mcp:read", "mcp:tools"], "days": "30"}


def browser(member: Member) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def make(who: Member, **changed: Any) -> Any:
    return browser(who).post("/grants/", data={**ASKED, "member": str(who.pk), **changed})


def test_it_lists_one_s_own_live_grants_alone(bob: Member, alice: Member) -> None:
    Dance(bob, client_name="Bob's app").tokens()
    cast.token(alice)
    ended = Dance(bob, client_name="An ended app")
    ended.tokens()
    grants.revoke(grant=Grant.objects.get(client_name="An ended app"), reason="a test", surface=Surface.SYSTEM)
    text = browser(bob).get("/grants/").content.decode()
    assert "Bob&#x27;s app" in text
    for said in ("Find and run the tools", "All tools", "name not confirmed by anybody", "client.example"):
        assert said in text
    assert "delete or cannot be undone</li>" not in text
    assert "An ended app" not in text
    assert "A test" not in text


def test_the_next_call_after_ending_it_is_refused(bob: Member) -> None:
    dance = Dance(bob)
    token = dance.tokens()["access_token"]
    answer = dance.browser.post(f"/grants/{Grant.objects.get().pk}/end")
    assert answer["Location"] == "/grants/"
    assert dance.status_at_mcp(token) == 401
    event = AuditEvent.objects.get(action="grant.revoke")
    assert event.actor == bob


def test_another_s_grant_is_not_there(bob: Member, alice: Member, charlie: Member) -> None:
    cast.token(bob)
    for stranger in (alice, charlie):
        assert browser(stranger).post(f"/grants/{Grant.objects.get().pk}/end").status_code == 404
    assert Grant.objects.get().revoked_at is None


def test_a_token_is_shown_once_and_works(bob: Member) -> None:
    text = make(bob).content.decode()
    token = text.partition("<code>")[2].partition("</code>")[0]
    caller = grants.authenticate(token)
    assert (caller.member, sorted(caller.scopes)) == (bob, ["mcp:read", "mcp:tools"])
    ends = Grant.objects.get().expires_at
    assert ends is not None
    assert timedelta(days=29) < ends - timezone.now() <= timedelta(days=30)
    assert token not in browser(bob).get("/grants/").content.decode()


def test_who_may_not_make_tokens_is_offered_none(bob: Member) -> None:
    guest = cast.member(bob.organization, "gwen", "guest")
    assert "Make a token" not in browser(guest).get("/grants/").content.decode()
    make(guest)
    make(bob, member=str(guest.pk))
    make(bob, scopes=["mcp:everything"])
    make(bob, days="100000")
    assert not Grant.objects.exists()


def test_who_is_suspended_makes_none(bob: Member) -> None:
    memberships.suspend(member=bob, surface=Surface.SYSTEM)
    make(bob)
    assert not Grant.objects.exists()


def test_who_is_not_signed_in_signs_in_first(db: None) -> None:
    assert Client().get("/grants/")["Location"] == "/login/?next=/grants/"
