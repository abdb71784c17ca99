"""Toolboxes: who may make, change and end one, and what sharing one gives."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError

from accesscontrol.exceptions import Conflict, NotFound, PermissionRequired
from accesscontrol.models import AuditEvent, Member, Organization, Surface
from accesscontrol.services import memberships
from connectors.models import Connection, Connector, Level, Share, Toolbox
from connectors.services import sharing, toolboxes
from connectors.services.authority import EditRequired
from tests import cast
from tests.connectors.sharing import fresh
from tests.connectors.toolboxes import NAME, freeze, names, runs, share, toolbox


def change(box: Toolbox, actor: Member, **fields: Any) -> Toolbox:
    return toolboxes.change(toolbox=box, surface=Surface.SYSTEM, actor=actor, **fields)


class TestChanging:
    def test_an_owner_makes_renames_describes_and_ends_one(self, bob: Member) -> None:
        box = toolbox(bob, " Support ", skill="Be brief.")
        assert (box.name, box.owner, box.skill) == ("Support", bob, "Be brief.")
        change(box, bob, name="Desk", description="For the desk", is_template=True)
        box.refresh_from_db()
        assert (box.name, box.description, box.skill, box.is_template) == ("Desk", "For the desk", "Be brief.", True)
        toolboxes.delete(toolbox=box, surface=Surface.SYSTEM, actor=bob)
        assert not Toolbox.objects.exists()
        told = AuditEvent.objects.filter(action__startswith="toolbox.").order_by("at")
        assert [event.action for event in told] == ["toolbox.create", "toolbox.change", "toolbox.delete"]
        assert told[1].detail["changed"] == ["description", "is_template", "name"]

    def test_every_change_bumps_the_version(self, bob: Member) -> None:
        versions = [fresh(bob).version]
        box = toolbox(bob)
        versions.append(fresh(bob).version)
        change(box, bob, enabled=False)
        versions.append(fresh(bob).version)
        assert versions == sorted(set(versions))

    def test_a_role_without_the_permission_makes_none(self, acme: Organization) -> None:
        with pytest.raises(PermissionRequired):
            toolbox(cast.member(acme, "gus", "guest"))

    def test_an_owner_has_no_two_of_a_name_and_others_may(self, bob: Member, bea: Member) -> None:
        toolbox(bob)
        toolbox(bea)
        with pytest.raises(ValidationError):
            toolbox(bob)

    def test_a_skill_has_a_limit(self, bob: Member) -> None:
        with pytest.raises(ValidationError):
            toolbox(bob, skill="x" * 10_001)

    def test_only_who_may_edit_changes_it_and_nobody_else_learns_that_it_is_there(
        self, bob: Member, bea: Member, alice: Member
    ) -> None:
        box = toolbox(bob)
        for stranger in (bea, alice):
            with pytest.raises(NotFound):
                change(box, stranger, name="Mine")
        share(box, bea, Level.USE)
        with pytest.raises(EditRequired, match="toolbox Support"):
            change(box, bea, name="Mine")
        share(box, bea, Level.EDIT)
        assert change(box, bea, name="Ours").name == "Ours"

    def test_a_manager_disables_and_deletes_and_does_nothing_else(
        self, deskline: Connector, bob: Member, alice: Member, bea: Member
    ) -> None:
        box = toolbox(bob)
        freeze(box, deskline)
        with pytest.raises(PermissionRequired):
            toolboxes.disable_as_manager(toolbox=box, surface=Surface.SYSTEM, actor=bea)
        toolboxes.disable_as_manager(toolbox=box, surface=Surface.SYSTEM, actor=alice)
        assert not runs(bob)
        with pytest.raises(Conflict):
            toolboxes.disable_as_manager(toolbox=box, surface=Surface.SYSTEM, actor=alice)
        change(box, bob, enabled=True)
        assert runs(bob)
        with pytest.raises(NotFound):
            change(box, alice, enabled=False)
        toolboxes.delete_as_manager(toolbox=box, surface=Surface.SYSTEM, actor=alice)
        assert not runs(bob)

    def test_another_organization_reaches_none(self, bob: Member, charlie: Member) -> None:
        box = toolbox(bob)
        with pytest.raises(NotFound):
            change(box, charlie, name="Mine")
        with pytest.raises(PermissionRequired):
            toolboxes.delete_as_manager(toolbox=box, surface=Surface.SYSTEM, actor=charlie)
        with pytest.raises(Conflict, match="A toolbox is shared within its own organization"):
            share(box, charlie)


class TestSharing:
    def test_its_tools_run_through_the_callers_own_account(self, deskline: Connector, bob: Member, bea: Member) -> None:
        box = toolbox(bob)
        freeze(box, deskline)
        cast.connection(bea, deskline, "Mine", credential={"token": "demo-deskline-globex"})
        assert not runs(bea)
        share(box, bea)
        assert runs(bea)
        assert AuditEvent.objects.filter(action="tool.call", target=NAME, actor=bea).latest("at").connection == (
            "Deskline: Mine"
        )

    def test_without_an_account_there_is_nothing_to_run(self, deskline: Connector, bob: Member, bea: Member) -> None:
        box = toolbox(bob)
        freeze(box, deskline)
        share(box, bea)
        assert not runs(bea)

    def test_a_view_lets_nobody_run_anything(
        self, deskline: Connector, account: Connection, bob: Member, bea: Member
    ) -> None:
        box = toolbox(bob)
        freeze(box, deskline, connections=[account])
        share(box, bea, Level.VIEW)
        assert not runs(bea)

    def test_by_team_and_by_organization_and_taken_back(
        self, deskline: Connector, account: Connection, acme: Organization, bob: Member, bea: Member
    ) -> None:
        box = toolbox(bob)
        freeze(box, deskline, connections=[account])
        team = cast.team(acme, "Support", bea)
        for grantee in (team, acme):
            share(box, grantee)
            assert runs(bea)
            sharing.unshare(target=box, grantee=grantee, surface=Surface.SYSTEM, actor=bob)
            assert not runs(bea)

    def test_a_shared_toolbox_gives_no_reach_of_the_account_it_is_pinned_to(
        self, deskline: Connector, account: Connection, bob: Member, bea: Member
    ) -> None:
        box = toolbox(bob)
        freeze(box, deskline, connections=[account])
        share(box, bea)
        assert names(bea) == [NAME]
        assert not runs(bea, "deskline_list_tickets")
        assert not Share.objects.filter(connection__isnull=False).exists()

    def test_it_stops_while_its_owner_is_suspended(
        self, deskline: Connector, acme: Organization, bob: Member, bea: Member
    ) -> None:
        box = toolbox(bob)
        freeze(box, deskline)
        share(box, bea)
        cast.connection(bea, deskline, "Mine", credential={"token": "demo-deskline-globex"})
        assert runs(bea)
        memberships.suspend(member=bob, surface=Surface.SYSTEM)
        assert not runs(bea)
        memberships.reinstate(member=bob, surface=Surface.SYSTEM)
        assert runs(bea)
