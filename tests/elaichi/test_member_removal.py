"""Removing somebody in the admin: what ends is shown, and what others use needs a new owner."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accesscontrol.models import Member, Surface
from connectors.models import Connection, Level
from connectors.services import sharing
from tests import cast


@pytest.fixture
def shared(alice: Member, bob: Member) -> Connection:
    """Bob's account, which the whole organization uses."""
    connection = cast.connection(bob, cast.connector(bob.organization), "Books")
    cast.token(bob)
    sharing.share(target=connection, grantee=bob.organization, level=Level.USE, surface=Surface.ADMIN, actor=bob)
    return connection


def save(by: Member, member: Member, **fields: Any) -> str:
    client = Client()
    client.force_login(by.user)
    page = reverse("admin:accesscontrol_member_change", args=[member.pk])
    answer = client.post(page, {"role": str(member.role_id), **fields}, follow=True)
    member.refresh_from_db()
    return answer.content.decode()


def test_the_page_shows_what_ends(shared: Connection, alice: Member, bob: Member) -> None:
    client = Client()
    client.force_login(alice.user)
    said = client.get(reverse("admin:accesscontrol_member_change", args=[bob.pk])).content.decode()
    assert "1 live grants (A test)" in said
    assert "connection Notion: Books, used by Everyone in the organization" in said


def test_without_a_new_owner_it_is_refused_on_the_page(shared: Connection, alice: Member, bob: Member) -> None:
    said = save(alice, bob, remove_member="on")
    assert "others use connection Notion: Books" in said
    assert bob.status == Member.Status.ACTIVE


def test_with_a_new_owner_the_account_passes_to_them(shared: Connection, alice: Member, bob: Member) -> None:
    save(alice, bob, remove_member="on", hand_over_to=str(alice.pk))
    shared.refresh_from_db()
    assert bob.status == Member.Status.REMOVED
    assert (shared.owner, shared.status) == (alice, "active")


def test_naming_a_new_owner_alone_removes_nobody(shared: Connection, alice: Member, bob: Member) -> None:
    assert "tick this, too" in save(alice, bob, hand_over_to=str(alice.pk))
    assert bob.status == Member.Status.ACTIVE


def test_somebody_of_another_organization_is_no_choice(
    shared: Connection, alice: Member, bob: Member, charlie: Member
) -> None:
    assert "Select a valid choice" in save(alice, bob, remove_member="on", hand_over_to=str(charlie.pk))
    assert bob.status == Member.Status.ACTIVE
