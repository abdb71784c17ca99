"""Teams: managed by their own admins, and by those who manage members."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from accesscontrol.exceptions import Conflict, MemberNotActive, NotFound, PermissionRequired
from accesscontrol.models import AuditEvent, Member, Organization, Surface, Team, TeamMembership
from accesscontrol.services import memberships, teams
from accesscontrol.services.teams import NotAdminOfTeam
from tests import cast
from tests.search.mcp.rpc import Rpc


@pytest.fixture
def tina(acme: Organization) -> Member:
    """A Team Admin of no team yet."""
    return cast.member(acme, "tina", "team-admin", staff=True)


@pytest.fixture
def support(acme: Organization, bob: Member) -> Team:
    return cast.team(acme, "Support", bob)


def by(actor: Member | None = None) -> dict[str, Any]:
    return {"surface": Surface.SYSTEM, "actor": actor}


def members_of(team: Team) -> set[str]:
    return set(TeamMembership.objects.filter(team=team).values_list("member__user__name", flat=True))


def every_change(team: Team, member: Member, actor: Member) -> list[Any]:
    return [
        lambda: teams.rename(team=team, name="Other", **by(actor)),
        lambda: teams.add_member(team=team, member=actor, **by(actor)),
        lambda: teams.set_admin(team=team, member=member, is_admin=False, **by(actor)),
        lambda: teams.remove_member(team=team, member=member, **by(actor)),
        lambda: teams.delete(team=team, **by(actor)),
    ]


class TestWhoMay:
    def test_a_team_admin_manages_their_own_team_and_no_other(self, tina: Member, bob: Member, support: Team) -> None:
        own = teams.create(organization=tina.organization, name="Sales", **by(tina))
        assert TeamMembership.objects.get(team=own).is_admin
        for change in every_change(support, bob, tina):
            with pytest.raises(NotAdminOfTeam):
                change()
        assert members_of(support) == {"Bob"}
        teams.add_member(team=own, member=bob, **by(tina))
        for change in every_change(own, bob, tina)[2:]:
            change()
        assert not Team.objects.filter(pk=own.pk).exists()

    @pytest.mark.parametrize("role", ["people-admin", "org-admin", "org-owner"])
    def test_who_manages_members_manages_every_team(
        self, acme: Organization, bob: Member, support: Team, role: str
    ) -> None:
        for change in every_change(support, bob, cast.member(acme, "pam", role)):
            change()
        assert not Team.objects.exists()

    @pytest.mark.parametrize("role", ["guest", "member", "auditor"])
    def test_without_team_manage_nothing_of_a_team_is_changed(
        self, acme: Organization, bob: Member, support: Team, role: str
    ) -> None:
        actor = cast.member(acme, "mia", role)
        TeamMembership.objects.create(team=support, member=actor, is_admin=True)
        for change in [
            *every_change(support, bob, actor),
            lambda: teams.create(organization=acme, name="Sales", **by(actor)),
        ]:
            with pytest.raises(PermissionRequired, match="team:manage"):
                change()

    def test_an_owner_of_another_organization_changes_none(self, charlie: Member, bob: Member, support: Team) -> None:
        for change in every_change(support, bob, charlie):
            with pytest.raises(PermissionRequired):
                change()

    def test_an_admin_whose_place_was_taken_a_moment_ago_is_refused(
        self, tina: Member, bob: Member, support: Team
    ) -> None:
        teams.add_member(team=support, member=tina, is_admin=True, **by())
        teams.rename(team=support, name="Helpdesk", **by(tina))
        teams.set_admin(team=support, member=tina, is_admin=False, **by())
        with pytest.raises(NotAdminOfTeam):
            teams.rename(team=support, name="Support", **by(tina))


class TestChanges:
    def test_a_team_that_is_gone_is_refused_and_no_crash(self, support: Team, bob: Member, alice: Member) -> None:
        teams.delete(team=Team.objects.get(pk=support.pk), **by())
        for change in every_change(support, bob, alice):
            with pytest.raises(NotFound):
                change()

    def test_an_admin_needs_a_role_that_manages_teams(self, bob: Member, support: Team) -> None:
        with pytest.raises(Conflict, match="Team Admin first"):
            teams.set_admin(team=support, member=bob, is_admin=True, **by())

    def test_only_active_members_of_the_organization_join(
        self, support: Team, charlie: Member, acme: Organization
    ) -> None:
        with pytest.raises(ValidationError, match="own organization"):
            teams.add_member(team=support, member=charlie, **by())
        gone = cast.member(acme, "gus")
        memberships.suspend(member=gone, surface=Surface.SYSTEM)
        with pytest.raises(MemberNotActive):
            teams.add_member(team=support, member=gone, **by())

    def test_a_member_joins_once_and_leaves_once(self, support: Team, bob: Member) -> None:
        with pytest.raises(ValidationError, match="in the team already"):
            teams.add_member(team=support, member=bob, **by())
        teams.remove_member(team=support, member=bob, **by())
        for change in (teams.remove_member, lambda **kwargs: teams.set_admin(is_admin=True, **kwargs)):
            with pytest.raises(Conflict, match="is not in the team"):
                change(team=support, member=bob, **by())

    def test_a_name_is_one_team_s_whatever_its_case(self, support: Team, charlie: Member) -> None:
        with pytest.raises(ValidationError, match="a team of this name"):
            cast.team(support.organization, " SUPPORT ")
        cast.team(charlie.organization, "Support")

    def test_a_removed_member_is_in_no_team_and_a_suspended_one_stays(
        self, support: Team, bob: Member, tina: Member
    ) -> None:
        teams.add_member(team=support, member=tina, **by())
        memberships.suspend(member=bob, surface=Surface.SYSTEM)
        memberships.remove(member=tina, surface=Surface.SYSTEM)
        assert members_of(support) == {"Bob"}

    def test_every_change_is_audited_and_bumps_the_version(
        self, acme: Organization, tina: Member, alice: Member
    ) -> None:
        versions = []
        team = teams.create(organization=acme, name="Sales", **by(alice))
        for change in (
            lambda: teams.rename(team=team, name="Sellers", **by(alice)),
            lambda: teams.add_member(team=team, member=tina, **by(alice)),
            lambda: teams.set_admin(team=team, member=tina, is_admin=True, **by(alice)),
            lambda: teams.set_admin(team=team, member=tina, is_admin=False, **by(alice)),
            lambda: teams.remove_member(team=team, member=tina, **by(alice)),
            lambda: teams.delete(team=team, **by(alice)),
        ):
            change()
            acme.refresh_from_db()
            versions.append(acme.version)
        assert versions == sorted(set(versions))
        events = AuditEvent.objects.filter(action__startswith="team.").order_by("at")
        assert [(event.action, event.detail) for event in events] == [
            ("team.create", {"team": "Sales"}),
            ("team.rename", {"team": "Sellers"}),
            ("team.add_member", {"team": "Sellers", "member": "tina@acme.example"}),
            ("team.make_admin", {"team": "Sellers", "member": "tina@acme.example"}),
            ("team.unmake_admin", {"team": "Sellers", "member": "tina@acme.example"}),
            ("team.remove_member", {"team": "Sellers", "member": "tina@acme.example"}),
            ("team.delete", {"team": "Sellers"}),
        ]
        assert {event.actor for event in events} == {alice}


def test_a_member_lists_the_teams_of_their_organization(
    support: Team, bob: Member, tina: Member, charlie: Member
) -> None:
    cast.team(charlie.organization, "Abroad")
    teams.create(organization=bob.organization, name="Sales", **by(tina))
    listed = Rpc(cast.token(bob)).call("elaichi__team__list")["structuredContent"]["teams"]
    assert sorted((team["name"], team["members"], team["you_are"]) for team in listed) == [
        ("Sales", 1, "not in it"),
        ("Support", 1, "member"),
    ]


class TestAdmin:
    def test_a_team_admin_makes_a_team_and_says_who_is_in_it(self, tina: Member, bob: Member) -> None:
        client = signed_in(tina)
        form = {"organization": str(tina.organization_id), "name": "Sales", **rows()}
        assert client.post(page("add"), form).status_code == 302
        team = Team.objects.get(name="Sales")
        assert members_of(team) == {"Tina"}
        own = TeamMembership.objects.get(team=team)
        stay = {"id": str(own.pk), "team": str(team.pk), "is_admin": "on"}
        join = {"id": "", "team": str(team.pk), "member": str(bob.pk)}
        response = client.post(page("change", team), {"name": "Sellers", **rows(stay, join, stored=1)})
        assert response.status_code == 302, [
            f.errors for f in response.context["inline_admin_formsets"][0].formset.forms
        ]
        team.refresh_from_db()
        assert (team.name, members_of(team)) == ("Sellers", {"Tina", "Bob"})
        joined = TeamMembership.objects.get(team=team, member=bob)
        leave = {"id": str(joined.pk), "team": str(team.pk), "DELETE": "on"}
        client.post(page("change", team), {"name": "Sellers", **rows(leave, stay, stored=2)})
        assert members_of(team) == {"Tina"}
        assert {event.surface for event in AuditEvent.objects.filter(action__startswith="team.")} == {"admin"}

    def test_a_team_of_others_cannot_be_changed_by_a_raw_post(self, tina: Member, support: Team) -> None:
        client = signed_in(tina)
        assert client.get(page("change", support)).status_code == 200
        join = {"id": "", "team": str(support.pk), "member": str(tina.pk)}
        assert client.post(page("change", support), {"name": "Mine", **rows(join)}).status_code == 403
        assert client.post(page("delete", support), {"post": "yes"}).status_code == 403
        bulk = {"action": "delete_selected", "_selected_action": [str(support.pk)], "post": "yes"}
        client.post(reverse("admin:accesscontrol_team_changelist"), bulk)
        support.refresh_from_db()
        assert (support.name, members_of(support)) == ("Support", {"Bob"})

    def test_a_member_of_another_organization_is_not_taken(self, alice: Member, support: Team, charlie: Member) -> None:
        client = signed_in(alice)
        assert "umbrella" not in client.get(page("change", support)).content.decode()
        join = {"id": "", "team": str(support.pk), "member": str(charlie.pk)}
        assert client.post(page("change", support), {"name": "Support", **rows(join)}).status_code == 200
        assert members_of(support) == {"Bob"}


def rows(*members: dict[str, str], stored: int = 0) -> dict[str, str]:
    """The inline's part of the form."""
    form = {"memberships-TOTAL_FORMS": str(len(members)), "memberships-INITIAL_FORMS": str(stored)}
    return form | {
        f"memberships-{number}-{name}": value for number, row in enumerate(members) for name, value in row.items()
    }


def signed_in(member: Member) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def page(name: str, team: Team | None = None) -> str:
    return reverse(f"admin:accesscontrol_team_{name}", args=[team.pk] if team else [])
