"""What becomes of a member's toolboxes and pins when they leave."""

import pytest

from accesscontrol.exceptions import Conflict
from accesscontrol.models import AuditEvent, Member, Organization, Surface
from accesscontrol.services import memberships
from connectors.models import Connection, Connector, Pin, Toolbox
from tests import cast
from tests.connectors.toolboxes import change, freeze, runs, share, toolbox


def remove(member: Member, new_owner: Member | None = None) -> None:
    memberships.remove(member=member, surface=Surface.SYSTEM, new_owner=new_owner)


def test_a_preview_names_the_toolboxes_and_who_would_lose_them(bob: Member, bea: Member) -> None:
    share(toolbox(bob, "Shared"), bea)
    toolbox(bob, "Private")
    seen = {str(holding): holding.used_by for holding in memberships.preview(bob).holdings}
    assert seen == {"toolbox Private": (), "toolbox Shared": ("bea@acme.example",)}


def test_a_removal_is_refused_while_a_shared_toolbox_has_no_new_owner(bob: Member, bea: Member) -> None:
    share(toolbox(bob), bea)
    with pytest.raises(Conflict, match="toolbox Support"):
        remove(bob)


def test_what_others_use_passes_on_and_the_private_goes(bob: Member, bea: Member, alice: Member) -> None:
    toolbox(bea)
    shared = toolbox(bob)
    toolbox(bob, "Private")
    share(shared, bea)
    share(shared, alice)
    remove(bob, new_owner=bea)
    shared.refresh_from_db()
    assert (shared.owner, shared.name) == (bea, "Support (2)")
    assert [one.member for one in shared.shares.all()] == [alice]
    assert not Toolbox.objects.filter(name="Private").exists()
    assert AuditEvent.objects.get(action="toolbox.transfer").detail["owner"] == "bea@acme.example"
    assert AuditEvent.objects.get(action="toolbox.delete").detail["toolbox"] == "Private"


def test_what_was_shared_with_a_removed_member_keeps_nobody(bob: Member, bea: Member) -> None:
    share(toolbox(bob), bea)
    remove(bea)
    assert memberships.preview(bob).shared == ()


def test_the_pins_of_a_removed_member_end_in_everybodys_toolboxes(
    deskline: Connector, account: Connection, acme: Organization, bea: Member
) -> None:
    dan = cast.member(acme, "dan")
    share(account, bea)
    made = toolbox(dan)
    share(made, bea)
    row = freeze(made, deskline, actor=dan)
    share(account, dan)
    change(row, dan, connections=[account])
    assert runs(bea)
    remove(dan, new_owner=bea)
    assert not Pin.objects.exists()
    assert not runs(bea)
    row.refresh_from_db()
    assert row.pinned
    change(row, bea, connections=[account])
    assert runs(bea)


def test_an_account_and_a_toolbox_that_pass_on_together_are_pinned_anew(
    deskline: Connector, account: Connection, bob: Member, bea: Member, alice: Member
) -> None:
    made = toolbox(bob)
    share(made, bea)
    share(account, alice)
    row = freeze(made, deskline, connections=[account])
    assert runs(bea)
    remove(bob, new_owner=alice)
    account.refresh_from_db()
    assert account.owner == alice
    assert not runs(bea)
    row.refresh_from_db()
    change(row, alice, connections=[account])
    assert runs(bea)


def test_a_suspension_ends_nothing_for_good(deskline: Connector, account: Connection, bob: Member, bea: Member) -> None:
    made = toolbox(bob)
    share(made, bea)
    freeze(made, deskline, connections=[account])
    memberships.suspend(member=bob, surface=Surface.SYSTEM)
    assert not runs(bea)
    assert (Toolbox.objects.count(), Pin.objects.count()) == (1, 1)
    memberships.reinstate(member=bob, surface=Surface.SYSTEM)
    assert runs(bea)
