"""Giving an account to another member: who reaches it afterwards, and who no longer does."""

import pytest

from accesscontrol.exceptions import Conflict, MemberNotActive, NotFound, PermissionRequired
from accesscontrol.models import AuditEvent, Member, Notice, Organization, Surface
from accesscontrol.services import memberships
from connectors.connecting.sessions import SessionOver, complete, open_session
from connectors.models import Connection, Connector, Level, Share
from connectors.services import transfers
from connectors.services.authority import OwnerRequired
from tests import cast
from tests.connectors.sharing import LIST, fresh, is_served, share
from tests.connectors.toolboxes import freeze, runs, toolbox
from tests.search.mcp.rpc import Rpc


@pytest.fixture
def dan(acme: Organization) -> Member:
    return cast.member(acme, "dan")


def transfer(account: Connection, to: Member, keep: Level | None = None, actor: Member | None = None) -> Connection:
    return transfers.transfer(
        connection=account, new_owner=to, keep=keep, surface=Surface.SYSTEM, actor=actor or account.owner
    )


def as_manager(account: Connection, to: Member, actor: Member | None = None) -> Connection:
    return transfers.transfer_as_manager(connection=account, new_owner=to, surface=Surface.SYSTEM, actor=actor)


def told(kind: Notice.Kind) -> list[str]:
    return sorted(Notice.objects.filter(kind=kind).values_list("member__user__email", flat=True))


def test_the_new_owner_runs_it_those_it_is_shared_with_too_and_the_old_owner_does_not(
    account: Connection, bob: Member, bea: Member, dan: Member
) -> None:
    share(account, dan)
    share(account, bea, Level.VIEW)
    rpcs = {member: Rpc(cast.token(member)) for member in (bob, bea, dan)}
    assert [is_served(rpcs[member]) for member in (bob, bea, dan)] == [True, False, True]
    transfer(account, bea)
    assert [is_served(rpcs[member]) for member in (bob, bea, dan)] == [False, True, True]
    assert Share.objects.get().member == dan
    assert AuditEvent.objects.get(action="connection.transfer").detail == {"new_owner": "bea@acme.example"}
    assert told(Notice.Kind.ACCOUNT_RECEIVED) == ["bea@acme.example"]


@pytest.mark.parametrize(("keep", "served"), [(Level.VIEW, False), (Level.USE, True), (Level.EDIT, True)])
def test_the_old_owner_keeps_what_they_choose(
    account: Connection, bob: Member, bea: Member, keep: Level, served: bool
) -> None:
    rpc = Rpc(cast.token(bob))
    transfer(account, bea, keep)
    assert is_served(rpc) == served
    assert Share.objects.get(member=bob).level == keep


def test_a_label_that_the_new_owner_has_is_told_apart_and_both_are_called(
    account: Connection, deskline: Connector, bob: Member, bea: Member
) -> None:
    cast.connection(bea, deskline, "Acme", credential={"token": "demo-deskline-globex"})
    assert transfers.preview_transfer(connection=account, new_owner=bea).label == "Acme (2)"
    transfer(account, bea)
    rpc = Rpc(cast.token(bea))
    assert not rpc.call(LIST, connection="Acme")["isError"]
    assert not rpc.call(LIST, connection="Acme (2)")["isError"]


class TestPreview:
    def test_says_who_keeps_it_by_what_and_who_loses_it(
        self, account: Connection, acme: Organization, bob: Member, bea: Member, dan: Member
    ) -> None:
        share(account, bea)
        share(account, dan, Level.EDIT)
        share(account, cast.team(acme, "Support"))
        seen = transfers.preview_transfer(connection=account, new_owner=bea)
        assert seen.keeps == ("Support (use)", "dan@acme.example (edit)")
        assert (seen.loses, seen.is_relabelled, seen.stopping) == (("bob@acme.example",), False, ())
        kept = transfers.preview_transfer(connection=account, new_owner=bea, keep=Level.VIEW)
        assert (kept.keeps[-1], kept.loses) == ("dan@acme.example (edit)", ())
        assert "bob@acme.example (view)" in kept.keeps

    def test_an_owner_whose_team_has_it_loses_nothing(
        self, account: Connection, acme: Organization, bob: Member, bea: Member
    ) -> None:
        share(account, cast.team(acme, "Support", bob))
        assert transfers.preview_transfer(connection=account, new_owner=bea).loses == ()

    def test_names_the_frozen_tools_that_stop_and_is_right(
        self, account: Connection, deskline: Connector, bob: Member, bea: Member, dan: Member
    ) -> None:
        made = toolbox(bob)
        share(account, dan)
        freeze(made, deskline, connections=[account])
        of_dan = toolbox(dan, "Dan's")
        freeze(of_dan, deskline, connections=[account], name="of_dan")
        for shared in (made, of_dan):
            Share.objects.create(organization=bob.organization, toolbox=shared, member=bea)
        seen = transfers.preview_transfer(connection=account, new_owner=dan, keep=Level.VIEW)
        assert [(it.toolbox, it.for_good) for it in seen.stopping] == [("Support", True)]
        assert transfers.preview_transfer(connection=account, new_owner=dan, keep=Level.USE).stopping == ()
        assert runs(bea)
        transfer(account, dan, Level.VIEW)
        assert not runs(bea)
        assert runs(bea, "of_dan")

    def test_a_tool_with_another_account_only_loses_a_choice(
        self, account: Connection, deskline: Connector, bob: Member, bea: Member
    ) -> None:
        other = cast.connection(bob, deskline, "Globex", credential={"token": "demo-deskline-globex"})
        freeze(toolbox(bob), deskline, connections=[account, other])
        (stopping,) = transfers.preview_transfer(connection=account, new_owner=bea).stopping
        assert not stopping.for_good

    def test_changes_nothing(self, account: Connection, bob: Member, bea: Member, acme: Organization) -> None:
        before = Organization.objects.get(pk=acme.pk).version
        transfers.preview_transfer(connection=account, new_owner=bea)
        account.refresh_from_db()
        assert (account.owner, Organization.objects.get(pk=acme.pk).version) == (bob, before)


class TestWho:
    def test_only_the_owner_not_an_editor_and_no_role(
        self, account: Connection, alice: Member, bea: Member, dan: Member
    ) -> None:
        share(account, bea, Level.EDIT)
        with pytest.raises(OwnerRequired, match=r"bob@acme\.example"):
            transfer(account, bea, actor=bea)
        for stranger in (alice, dan):
            with pytest.raises(NotFound):
                transfer(account, stranger, actor=stranger)
        with pytest.raises(Conflict):
            as_manager(account, alice, alice)

    def test_a_manager_passes_on_what_others_use_of_a_suspended_members(
        self, account: Connection, bob: Member, bea: Member, dan: Member, alice: Member
    ) -> None:
        share(account, dan)
        memberships.suspend(member=bob, surface=Surface.SYSTEM)
        with pytest.raises(PermissionRequired):
            as_manager(account, bea, bea)
        as_manager(account, bea, alice)
        assert is_served(Rpc(cast.token(dan)))

    def test_what_a_suspended_member_alone_reached_comes_into_nobody_elses_hands(
        self, account: Connection, bob: Member, alice: Member
    ) -> None:
        memberships.suspend(member=bob, surface=Surface.SYSTEM)
        with pytest.raises(Conflict, match="Nobody but"):
            as_manager(account, alice, alice)

    def test_a_suspended_owner_gives_nothing_away(self, account: Connection, bob: Member, bea: Member) -> None:
        memberships.suspend(member=bob, surface=Surface.SYSTEM)
        with pytest.raises(MemberNotActive):
            transfer(account, bea)

    def test_only_to_another_active_member_of_the_organization(
        self, account: Connection, bob: Member, bea: Member, charlie: Member
    ) -> None:
        memberships.suspend(member=bea, surface=Surface.SYSTEM)
        for unfit in (bob, bea, charlie):
            with pytest.raises(Conflict, match="another active member"):
                transfer(account, unfit)

    def test_not_what_is_disconnected(self, account: Connection, bea: Member) -> None:
        Connection.objects.update(status=Connection.Status.DISCONNECTED, credential={})
        with pytest.raises(Conflict, match="nothing to pass on"):
            transfer(account, bea)


def test_a_page_that_would_authorize_it_anew_ends_with_the_transfer(
    account: Connection, deskline: Connector, bob: Member, bea: Member
) -> None:
    session, _ = open_session(fresh(bob), deskline, account)
    transfer(account, bea, Level.EDIT)
    with pytest.raises(SessionOver):
        complete(session, label="Mine again", credential={"token": "bobs"})
    account.refresh_from_db()
    assert account.credential.reveal() == {"token": "demo-deskline-acme"}
