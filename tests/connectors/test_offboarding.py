"""What becomes of a member's accounts when they leave."""

import pytest

from accesscontrol.exceptions import Conflict
from accesscontrol.models import AuditEvent, Member, Organization, Surface
from accesscontrol.services import memberships
from connectors.models import Connection, Connector, Level, Share
from connectors.reach import usable_connections
from connectors.services import sharing
from tests import cast


@pytest.fixture
def notion(acme: Organization) -> Connector:
    return cast.connector(acme)


def share(account: Connection, grantee: sharing.Grantee, level: Level = Level.USE) -> None:
    sharing.share(target=account, grantee=grantee, level=level, surface=Surface.SYSTEM, actor=account.owner)


def test_a_preview_names_the_accounts_and_who_would_lose_them(
    acme: Organization, notion: Connector, bob: Member, bea: Member
) -> None:
    shared = cast.connection(bob, notion, "Team books")
    cast.connection(bob, notion, "Private")
    cast.connection(bob, notion, "Old", status=Connection.Status.DISCONNECTED)
    share(shared, bea)
    share(shared, cast.team(acme, "Support"))
    seen = {holding.label: holding.used_by for holding in memberships.preview(bob).holdings}
    assert seen == {"Notion: Team books": ("Support", "bea@acme.example"), "Notion: Private": ()}


def test_a_removal_is_refused_while_what_others_use_has_no_new_owner(
    notion: Connector, bob: Member, bea: Member
) -> None:
    share(cast.connection(bob, notion), bea)
    with pytest.raises(Conflict, match="Notion: Main"):
        memberships.remove(member=bob, surface=Surface.SYSTEM)
    assert usable_connections(bea).count() == 1


def test_what_others_use_passes_to_the_new_owner_and_the_private_account_ends(
    acme: Organization, notion: Connector, bob: Member, bea: Member
) -> None:
    cast.connection(bea, notion, "Main")
    shared, private = cast.connection(bob, notion, "Main"), cast.connection(bob, notion, "Private")
    team = cast.team(acme, "Support", cast.member(acme, "dan"))
    share(shared, bea)
    share(shared, team)
    memberships.remove(member=bob, surface=Surface.SYSTEM, new_owner=bea)
    shared.refresh_from_db()
    private.refresh_from_db()
    assert (shared.owner, shared.label, shared.status) == (bea, "Main (2)", "active")
    assert shared.credential.reveal() == {"token": "secret-of-Main"}
    assert [one.team for one in Share.objects.filter(connection=shared)] == [team]
    assert (private.owner, private.status, bool(private.credential)) == (bob, "disconnected", False)
    moved = AuditEvent.objects.get(action="connection.transfer")
    assert moved.detail == {"new_owner": "bea@acme.example"}
    assert AuditEvent.objects.get(action="connection.disconnect").connection == "Notion: Private"


def test_what_was_shared_with_a_removed_member_is_not_any_more(notion: Connector, bob: Member, bea: Member) -> None:
    account = cast.connection(bob, notion)
    share(account, bea)
    memberships.remove(member=bea, surface=Surface.SYSTEM)
    assert not Share.objects.exists()
    assert not usable_connections(bea).exists()


def test_a_suspension_ends_no_account_and_no_share(notion: Connector, bob: Member, bea: Member) -> None:
    account = cast.connection(bob, notion)
    share(account, bea)
    for member in (bob, bea):
        memberships.suspend(member=member, surface=Surface.SYSTEM)
    account.refresh_from_db()
    assert (account.status, bool(account.credential), account.shares.count()) == ("active", True, 1)
