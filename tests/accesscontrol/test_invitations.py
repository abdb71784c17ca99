"""Inviting people: once, for one address, and never more than the inviter has."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accesscontrol.exceptions import Conflict, PermissionRequired
from accesscontrol.models import AuditEvent, Grant, Invitation, Member, Role, Surface, User
from accesscontrol.services import invitations, memberships
from tests import cast

NEW = "nora@acme.example"
ACCOUNT = {"name": "Nora", "password": "a long enough pass phrase"}


def role(member: Member, slug: str = "member") -> Role:
    return Role.objects.get(organization=member.organization, slug=slug)


def invite(by: Member, email: str = NEW, slug: str = "member") -> str:
    """The path of the page of a new invitation."""
    _, url = invitations.invite(
        organization=by.organization, email=email, role=role(by, slug), surface=Surface.ADMIN, actor=by
    )
    return url[url.index("/join/") :]


def test_a_new_person_makes_an_account_and_is_a_member(alice: Member) -> None:
    page = invite(alice)
    client = Client()
    assert "Join Acme" in client.get(page).content.decode()
    assert "Welcome to Acme" in client.post(page, ACCOUNT).content.decode()
    nora = Member.objects.get(user__email=NEW)
    assert (nora.status, nora.role.slug, nora.user.name) == ("active", "member", "Nora")
    assert nora.user.check_password(ACCOUNT["password"])
    assert client.get(page).status_code == 404
    assert Invitation.objects.get().outcome == "accepted"


def test_a_weak_password_is_told_and_nothing_is_made(alice: Member) -> None:
    page = invite(alice)
    response = Client().post(page, {"name": "Nora", "password": "password"})
    assert "too short" in response.content.decode()
    assert not User.objects.filter(email=NEW).exists()


def test_somebody_with_an_account_signs_in_to_it_first(alice: Member, charlie: Member) -> None:
    page = invite(alice, charlie.user.email)
    client = Client()
    assert client.get(page).headers["Location"] == f"/login/?next={page}"
    client.force_login(alice.user)
    assert client.get(page).status_code == 302
    client.force_login(charlie.user)
    client.post(page)
    assert charlie.user.memberships.filter(organization=alice.organization, status="active").exists()


def test_an_invitation_ends_with_its_days_when_it_is_withdrawn_and_with_a_newer_one(alice: Member) -> None:
    first = invite(alice)
    second = invite(alice)
    assert Client().get(first).status_code == 404
    Invitation.objects.filter(ended_at__isnull=True).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert Client().get(second).status_code == 404
    third = invite(alice)
    invitations.withdraw(invitation=Invitation.objects.get(ended_at__isnull=True), surface=Surface.ADMIN, actor=alice)
    assert Client().get(third).status_code == 404
    assert Client().get("/join/unknown/").status_code == 404


def test_a_member_is_not_invited_and_a_removed_one_joins_anew_without_old_grants(alice: Member, bob: Member) -> None:
    with pytest.raises(Conflict, match="is a member already"):
        invite(alice, bob.user.email)
    cast.token(bob)
    memberships.remove(member=bob, surface=Surface.SYSTEM)
    page = invite(alice, bob.user.email, "guest")
    client = Client()
    client.force_login(bob.user)
    client.post(page)
    bob.refresh_from_db()
    assert (bob.status, bob.role.slug) == ("active", "guest")
    assert not Grant.objects.filter(member=bob, revoked_at__isnull=True).exists()


def test_nobody_invites_above_themselves_or_without_the_permission(alice: Member, bob: Member) -> None:
    manager = cast.member(alice.organization, "pam", "people-admin")
    with pytest.raises(PermissionRequired):
        invite(manager, slug="org-admin")
    with pytest.raises(PermissionRequired, match="member:manage"):
        invite(bob)
    invite(manager, slug="team-admin")


def test_the_admin_shows_the_address_once(alice: Member) -> None:
    client = Client()
    client.force_login(alice.user)
    form = {"organization": str(alice.organization_id), "email": NEW, "role": str(role(alice).pk)}
    said = client.post(reverse("admin:accesscontrol_invitation_add"), form, follow=True).content.decode()
    assert "/join/" in said
    listed = client.get(reverse("admin:accesscontrol_invitation_changelist")).content.decode()
    assert NEW in listed
    assert "/join/" not in listed
    refused = client.post(
        reverse("admin:accesscontrol_invitation_add"), {**form, "email": alice.user.email}, follow=True
    )
    assert "is a member already" in refused.content.decode()


def test_the_token_is_stored_nowhere(alice: Member) -> None:
    token = invite(alice).split("/")[2]
    assert token not in str(list(Invitation.objects.values()))
    assert token not in str(list(AuditEvent.objects.values()))
