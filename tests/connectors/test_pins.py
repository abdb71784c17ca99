"""Pinned accounts: on whose authority a frozen tool runs, and everything that ends it."""

from collections.abc import Callable

import pytest

from accesscontrol.audit import CallEntry
from accesscontrol.exceptions import Conflict, NotFound, Refusal
from accesscontrol.models import AuditEvent, Member, Organization, Restriction, Role, Surface
from accesscontrol.services import grants, memberships, restrictions
from connectors.execution import service
from connectors.models import Connection, Connector, FrozenTool, Level, Pin, Share, Toolbox
from connectors.services import connections, frozen_tools, sharing, toolboxes
from search.pool import pool_of
from tests import cast
from tests.connectors.sharing import journal
from tests.connectors.toolboxes import NAME, change, freeze, names, runs, share, toolbox
from tests.search.mcp.rpc import Rpc

DENIED = ["deskline.list_tickets"]


@pytest.fixture
def box(bob: Member, bea: Member) -> Toolbox:
    """Bob's, shared with Bea, who has no account of her own."""
    made = toolbox(bob)
    share(made, bea)
    return made


@pytest.fixture
def pinned(box: Toolbox, deskline: Connector, account: Connection) -> FrozenTool:
    return freeze(box, deskline, connections=[account])


def block(subject: Member | Role) -> Restriction:
    return restrictions.create(subject=subject, mode=Restriction.Mode.BLOCK, tools=DENIED, surface=Surface.SYSTEM)


def suspend(bob: Member) -> None:
    memberships.suspend(member=bob, surface=Surface.SYSTEM)


def demote(bob: Member) -> None:
    guest = Role.objects.get(organization=bob.organization, slug="guest")
    memberships.change_role(member=bob, role=guest, surface=Surface.SYSTEM)


def disconnect(bob: Member) -> None:
    connections.disconnect(connection=bob.connections.get(), surface=Surface.SYSTEM, actor=bob)


def unpin(bob: Member) -> None:
    frozen_tools.unpin(pin=Pin.objects.get(), surface=Surface.SYSTEM, actor=bob)


def take_out(bob: Member) -> None:
    frozen_tools.remove(frozen_tool=FrozenTool.objects.get(), surface=Surface.SYSTEM, actor=bob)


def switch_off(bob: Member) -> None:
    change(FrozenTool.objects.get(), enabled=False)


def disable(bob: Member) -> None:
    toolboxes.change(toolbox=Toolbox.objects.get(), enabled=False, surface=Surface.SYSTEM, actor=bob)


def unshare(bob: Member) -> None:
    bea = Member.objects.get(user__email__startswith="bea@")
    sharing.unshare(target=Toolbox.objects.get(), grantee=bea, surface=Surface.SYSTEM, actor=bob)


def block_who_pinned(bob: Member) -> None:
    block(bob)


def block_the_caller(bob: Member) -> None:
    block(Member.objects.get(user__email__startswith="bea@"))


ENDINGS = [
    suspend,
    demote,
    disconnect,
    unpin,
    take_out,
    switch_off,
    disable,
    unshare,
    block_who_pinned,
    block_the_caller,
]


@pytest.mark.parametrize("ending", ENDINGS)
def test_whatever_ends_it_ends_the_next_call_and_one_under_way(
    pinned: FrozenTool, bob: Member, bea: Member, sandbox: str, ending: Callable[[Member], None]
) -> None:
    assert runs(bea)
    sent = len(journal(sandbox))
    caller = grants.authenticate(cast.token(bea))
    tool = pool_of(caller).advertised(NAME)
    assert tool is not None
    ending(bob)
    with pytest.raises(Refusal):
        service.execute(caller, tool, {}, CallEntry())
    assert not runs(bea)
    assert len(journal(sandbox)) == sent


@pytest.mark.parametrize("layer", ["role", "user"])
@pytest.mark.parametrize("is_pinned", [True, False])
@pytest.mark.parametrize("denied_first", [True, False])
def test_who_is_blocked_from_a_tool_does_not_reach_it_through_anybodys_toolbox(
    deskline: Connector, account: Connection, box: Toolbox, bea: Member, layer: str, is_pinned: bool, denied_first: bool
) -> None:
    cast.connection(bea, deskline, "Mine", credential={"token": "demo-deskline-globex"})
    # Another role than Bob's, so that a denial of hers is none of his, whose pin it is.
    bea.role = Role.objects.get(organization=bea.organization, slug="team-admin")
    bea.save()
    if denied_first:
        block(bea.role if layer == "role" else bea)
    freeze(box, deskline, connections=[account] if is_pinned else None)
    if not denied_first:
        assert runs(bea)
        block(bea.role if layer == "role" else bea)
    assert not runs(bea)
    assert not runs(bea, "deskline_list_tickets")


def test_a_lifted_denial_lets_a_pin_run_again(pinned: FrozenTool, bob: Member, bea: Member) -> None:
    written = block(bob)
    assert not runs(bea)
    restrictions.delete(restriction=written, surface=Surface.SYSTEM)
    assert runs(bea)


def test_a_pin_of_a_lent_account_ends_with_the_loan(
    deskline: Connector, account: Connection, bob: Member, bea: Member, acme: Organization
) -> None:
    dan = cast.member(acme, "dan")
    share(account, dan)
    made = toolbox(dan)
    share(made, bea)
    freeze(made, deskline, connections=[account])
    assert runs(bea)
    sharing.unshare(target=account, grantee=dan, surface=Surface.SYSTEM, actor=bob)
    assert not runs(bea)
    share(account, cast.team(acme, "Support", dan))
    assert runs(bea)
    memberships.suspend(member=bob, surface=Surface.SYSTEM)
    assert not runs(bea)


def test_a_tool_whose_last_pin_ended_takes_no_account_of_its_callers(
    pinned: FrozenTool, deskline: Connector, account: Connection, bob: Member, bea: Member
) -> None:
    cast.connection(bea, deskline, "Mine", credential={"token": "demo-deskline-globex"})
    assert runs(bea)
    unpin(bob)
    assert not runs(bea)
    change(pinned, connections=[])
    assert runs(bea)
    assert AuditEvent.objects.filter(target=NAME, outcome="ok").latest("at").connection == "Deskline: Mine"


def test_several_pins_are_chosen_among_by_label(
    deskline: Connector, account: Connection, box: Toolbox, bob: Member, bea: Member
) -> None:
    other = cast.connection(bob, deskline, "Globex", credential={"token": "demo-deskline-globex"})
    freeze(box, deskline, connections=[account, other])
    assert not runs_only_named(bea)
    told = AuditEvent.objects.filter(target=NAME, outcome="ok").latest("at")
    assert (told.connection, told.detail["toolbox"]) == ("Deskline: Globex", "Support")


def runs_only_named(bea: Member) -> bool:
    """Whether a call runs that names no account; one that names it does."""
    rpc = Rpc(cast.token(bea))
    assert not rpc.call(NAME, connection="Globex")["isError"]
    refused = rpc.call(NAME)
    return not refused["isError"]


class TestPinning:
    def test_only_an_account_within_ones_own_reach_is_pinned(
        self, deskline: Connector, account: Connection, bea: Member
    ) -> None:
        made = toolbox(bea)
        for level in (None, Level.VIEW):
            if level:
                share(account, bea, level)
            with pytest.raises(NotFound):
                freeze(made, deskline, connections=[account])
        share(account, bea, Level.USE)
        assert freeze(made, deskline, connections=[account]).pins.get().pinned_by == bea

    def test_only_an_account_of_the_tools_connector(self, box: Toolbox, deskline: Connector, bob: Member) -> None:
        elsewhere = cast.connection(bob, cast.connector(bob.organization))
        with pytest.raises(Conflict, match="no account at Deskline"):
            freeze(box, deskline, connections=[elsewhere])
        assert not FrozenTool.objects.exists()

    def test_an_editor_cannot_turn_anothers_pin_to_other_arguments(
        self, pinned: FrozenTool, account: Connection, bob: Member, bea: Member
    ) -> None:
        share(pinned.toolbox, bea, Level.EDIT)
        change(pinned, bea, description="Tickets of one project")
        assert Pin.objects.get().pinned_by == bob
        change(pinned, bea, fixed={"project": "APP"})
        assert not Pin.objects.exists()
        assert names(bea) == []

    def test_an_editor_who_reaches_the_account_takes_the_pin_over(
        self, pinned: FrozenTool, account: Connection, bea: Member
    ) -> None:
        share(pinned.toolbox, bea, Level.EDIT)
        share(account, bea)
        change(pinned, bea, fixed={"project": "APP"})
        assert Pin.objects.get().pinned_by == bea

    def test_a_pin_is_taken_back_by_who_made_it_who_has_the_account_and_who_edits_the_toolbox(
        self, deskline: Connector, account: Connection, bob: Member, bea: Member, acme: Organization
    ) -> None:
        dan = cast.member(acme, "dan")
        share(account, bea)
        made = toolbox(dan)
        share(made, bea, Level.EDIT)
        for who in (bea, bob, dan):
            freeze(made, deskline, actor=bea, connections=[account], name=f"of_{who.user.name.lower()}")
            if who is bea:
                sharing.unshare(target=made, grantee=bea, surface=Surface.SYSTEM, actor=dan)
                stranger = cast.member(acme, "eve")
                with pytest.raises(NotFound):
                    frozen_tools.unpin(pin=Pin.objects.get(), surface=Surface.SYSTEM, actor=stranger)
            frozen_tools.unpin(pin=Pin.objects.get(), surface=Surface.SYSTEM, actor=who)
            share(made, bea, Level.EDIT)
        assert not Pin.objects.exists()
        assert Share.objects.filter(toolbox=made).count() == 1
