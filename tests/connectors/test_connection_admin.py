"""Accounts in the admin: the owner changes and shares one; others see that it exists, and can end it."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accesscontrol.models import AuditEvent, Member, Organization
from connectors.models import Connection, Level, Share
from tests import cast


@pytest.fixture
def otto(acme: Organization) -> Member:
    return cast.member(acme, "otto", "org-admin", staff=True)


@pytest.fixture
def account(acme: Organization, otto: Member) -> Connection:
    return cast.connection(otto, cast.connector(acme), "Main", credential={"token": "canary-credential"})


def signed_in(member: Member) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def page(name: str, account: Connection | None = None) -> str:
    return reverse(f"admin:connectors_connection_{name}", args=[account.pk] if account else [])


def form(account: Connection, *shares: dict[str, str], stored: int = 0, **changed: str) -> dict[str, Any]:
    given = {"label": account.label, "remote_account": "", "status": account.status, "secret_1": "", "secret_2": ""}
    given |= {"shares-TOTAL_FORMS": str(len(shares)), "shares-INITIAL_FORMS": str(stored), **changed}
    rows = [{"connection": str(account.pk), "id": "", **share} for share in shares]
    return given | {f"shares-{number}-{name}": value for number, row in enumerate(rows) for name, value in row.items()}


def test_the_owner_shares_changes_and_takes_back(account: Connection, otto: Member, bob: Member) -> None:
    client, team = signed_in(otto), cast.team(otto.organization, "Support")
    first = form(account, {"member": str(bob.pk), "level": "1"}, {"team": str(team.pk), "level": "2"})
    response = client.post(page("change", account), first)
    assert response.status_code == 302
    with_bob, with_team = Share.objects.get(member=bob), Share.objects.get(team=team)
    assert (with_bob.level, with_team.level, with_bob.shared_by) == (Level.VIEW, Level.USE, otto)
    second = form(
        account,
        {"id": str(with_bob.pk), "level": "3"},
        {"id": str(with_team.pk), "level": "2", "DELETE": "on"},
        stored=2,
    )
    assert client.post(page("change", account), second).status_code == 302
    assert Share.objects.get().level == Level.EDIT
    actions = (
        AuditEvent.objects.filter(action__startswith="connection.").order_by("at").values_list("action", flat=True)
    )
    assert [action for action in actions if action != "connection.change"] == [
        "connection.share",
        "connection.share",
        "connection.unshare",
        "connection.share",
    ]


def test_a_share_of_nobody_or_of_two_is_told_in_the_form(account: Connection, otto: Member, bob: Member) -> None:
    team = cast.team(otto.organization, "Support")
    for grantee in ({}, {"member": str(bob.pk), "team": str(team.pk)}):
        response = signed_in(otto).post(page("change", account), form(account, {**grantee, "level": "3"}))
        assert "Choose exactly one" in response.content.decode()
    assert not Share.objects.exists()


def test_another_s_account_is_seen_to_exist_and_nothing_of_it_is_changed(
    account: Connection, alice: Member, admin_client: Client
) -> None:
    for client in (signed_in(alice), admin_client):
        seen = client.get(page("change", account)).content.decode()
        assert "Main" in seen
        assert "otto@acme.example" in seen
        assert "canary" not in seen
        grab = form(account, {"member": str(alice.pk), "level": "2"}, owner=str(alice.pk), secret_1="mine-now")
        assert client.post(page("change", account), grab).status_code == 403
    account.refresh_from_db()
    assert account.owner.user.email == "otto@acme.example"
    assert account.credential.reveal() == {"token": "canary-credential"}
    assert not Share.objects.exists()


def test_the_owner_does_not_hand_it_over_by_a_raw_post(account: Connection, otto: Member, alice: Member) -> None:
    signed_in(otto).post(page("change", account), form(account, owner=str(alice.pk), label="Renamed"))
    account.refresh_from_db()
    assert (account.owner, account.label) == (otto, "Renamed")


def test_an_administrator_disconnects_another_s_account_and_its_secret_is_erased(
    account: Connection, alice: Member
) -> None:
    bulk = {"action": "disconnect", "_selected_action": [str(account.pk)]}
    said = signed_in(alice).post(page("changelist"), bulk, follow=True).content.decode()
    assert "Notion: Main was disconnected" in said
    account.refresh_from_db()
    assert (account.status, bool(account.credential)) == ("disconnected", False)
    assert AuditEvent.objects.get(action="connection.disconnect").actor == alice


def test_a_grantee_of_another_organization_is_not_offered_nor_taken(
    account: Connection, otto: Member, charlie: Member
) -> None:
    client = signed_in(otto)
    assert "umbrella" not in client.get(page("change", account)).content.decode()
    assert (
        client.post(page("change", account), form(account, {"member": str(charlie.pk), "level": "2"})).status_code
        == 200
    )
    assert not Share.objects.exists()


def test_an_administrator_deletes_a_dead_account_and_it_is_written_down(account: Connection, alice: Member) -> None:
    assert signed_in(alice).post(page("delete", account), {"post": "yes"}).status_code == 302
    assert not Connection.objects.exists()
    event = AuditEvent.objects.get(action="connection.delete")
    assert (event.actor, event.connection, event.detail) == (alice, "Notion: Main", {"owner": "otto@acme.example"})
