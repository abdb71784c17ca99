"""Custom roles: written by those who hold what they write, and gone only when nobody has them."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accesscontrol.exceptions import Conflict, MemberNotActive, PermissionRequired
from accesscontrol.models import AuditEvent, Member, Organization, Restriction, Role, Surface
from accesscontrol.permissions import MEMBER, ORG_ADMIN, Permission, Scope
from accesscontrol.services import grants, memberships, restrictions, roles
from tests import cast
from tests.search.mcp.rpc import Rpc

CLERK = ("tool:execute", "connection:view")


@pytest.fixture
def otto(acme: Organization) -> Member:
    """An Org Admin, who may do all but manage the organization and override restrictions."""
    return cast.member(acme, "otto", "org-admin", staff=True)


@pytest.fixture
def clerk(acme: Organization) -> Role:
    return create(acme, *CLERK)


def create(home: Organization, *permissions: str, actor: Member | None = None, slug: str = "clerk") -> Role:
    return roles.create(
        organization=home,
        slug=slug,
        label=slug.title(),
        permissions=permissions,
        surface=Surface.SYSTEM,
        actor=actor,
    )


def change(role: Role, *permissions: str, actor: Member | None = None) -> Role:
    return roles.change(role=role, label=role.label, permissions=permissions, surface=Surface.SYSTEM, actor=actor)


class TestNobodyGivesWhatTheyDoNotHold:
    def test_a_new_role_permits_no_more_than_its_author_holds(self, otto: Member) -> None:
        assert create(otto.organization, *CLERK, actor=otto).permissions == sorted(CLERK)
        with pytest.raises(roles.PermissionsNotHeld) as refused:
            create(otto.organization, *Permission, actor=otto, slug="other")
        missing = ["organization:manage", "restriction:override"]
        assert refused.value.help["permissions"] == missing == sorted(set(Permission) - ORG_ADMIN)
        assert all(name in str(refused.value) for name in missing)
        assert not Role.objects.filter(slug="other").exists()

    def test_a_changed_role_neither_gains_nor_loses_what_its_author_does_not_hold(
        self, otto: Member, clerk: Role
    ) -> None:
        with pytest.raises(roles.PermissionsNotHeld):
            change(clerk, *CLERK, "organization:manage", actor=otto)
        change(clerk, *CLERK, "organization:manage")
        with pytest.raises(roles.PermissionsNotHeld):
            change(clerk, *CLERK, actor=otto)

    def test_a_role_is_given_by_who_holds_all_of_it(self, otto: Member, bob: Member, clerk: Role) -> None:
        roles.assert_may_give(otto, clerk)
        roles.assert_may_give(None, clerk)
        owner = Role.objects.get(organization=otto.organization, slug="org-owner")
        for actor in (otto, bob):
            with pytest.raises(PermissionRequired):
                roles.assert_may_give(actor, owner)

    def test_what_the_role_permits_at_that_moment_counts(self, otto: Member, clerk: Role) -> None:
        stale = Role.objects.get(pk=clerk.pk)
        change(clerk, *Permission)
        with pytest.raises(roles.PermissionsNotHeld):
            roles.assert_may_give(otto, stale)

    def test_what_the_actor_is_at_that_moment_counts(self, otto: Member, clerk: Role) -> None:
        member_role = Role.objects.get(organization=otto.organization, slug="member")
        memberships.change_role(member=Member.objects.get(pk=otto.pk), role=member_role, surface=Surface.SYSTEM)
        with pytest.raises(PermissionRequired, match="role:manage"):
            change(clerk, "tool:execute", actor=otto)
        memberships.suspend(member=Member.objects.get(pk=otto.pk), surface=Surface.SYSTEM)
        with pytest.raises(MemberNotActive):
            roles.assert_may_give(otto, clerk)

    @pytest.mark.parametrize("role", ["member", "team-admin", "people-admin", "auditor"])
    def test_without_role_manage_no_role_is_written(self, acme: Organization, clerk: Role, role: str) -> None:
        actor = cast.member(acme, "ada", role)
        for write in (
            lambda: create(acme, actor=actor, slug="other"),
            lambda: change(clerk, actor=actor),
            lambda: roles.delete(role=clerk, surface=Surface.SYSTEM, actor=actor),
        ):
            with pytest.raises(PermissionRequired, match="role:manage"):
                write()

    def test_an_owner_of_another_organization_writes_none(self, charlie: Member, clerk: Role) -> None:
        with pytest.raises(PermissionRequired):
            change(clerk, *Permission, actor=charlie)


class TestBuiltIn:
    def test_a_built_in_role_is_neither_changed_nor_deleted(self, alice: Member) -> None:
        for role in alice.organization.roles.filter(built_in=True):
            with pytest.raises(Conflict, match="built-in"):
                change(role, *Permission)
            with pytest.raises(Conflict, match="built-in"):
                roles.delete(role=role, surface=Surface.SYSTEM, actor=alice)
        assert set(Role.objects.get(organization=alice.organization, slug="member").permissions) == MEMBER

    def test_nor_by_a_raw_post_to_the_admin(self, alice: Member, admin_client: Client) -> None:
        role = Role.objects.get(organization=alice.organization, slug="guest")
        form = {
            "organization": str(role.organization_id),
            "label": "G",
            "slug": "guest",
            "permissions": list(Permission),
        }
        for client in (signed_in(alice), admin_client):
            assert client.post(page("change", role), form).status_code == 403
            assert client.post(page("delete", role), {"post": "yes"}).status_code == 403
            bulk = {"action": "delete_selected", "_selected_action": [str(role.pk)], "post": "yes"}
            client.post(reverse("admin:accesscontrol_role_changelist"), bulk)
        role.refresh_from_db()
        assert (role.label, "tool:execute" in role.permissions) == ("Guest", False)


class TestLife:
    def test_a_change_is_obeyed_by_the_next_request(self, bob: Member, clerk: Role) -> None:
        memberships.change_role(member=bob, role=clerk, surface=Surface.SYSTEM)
        connector = cast.connector(bob.organization)
        cast.tool(connector, "create_page", "Create a page")
        cast.connection(bob, connector)
        rpc = Rpc(cast.token(bob))
        assert rpc.found("create page")["matched"] == 1
        change(clerk, "connection:view")
        assert "search_tools" not in {tool["name"] for tool in rpc.result("tools/list")["tools"]}

    def test_a_role_in_use_stays_and_says_by_how_many(self, bob: Member, clerk: Role) -> None:
        memberships.change_role(member=bob, role=clerk, surface=Surface.SYSTEM)
        with pytest.raises(Conflict, match="the role of 1 member"):
            roles.delete(role=clerk, surface=Surface.SYSTEM)
        memberships.remove(member=bob, surface=Surface.SYSTEM)
        roles.delete(role=clerk, surface=Surface.SYSTEM)
        bob.refresh_from_db()
        assert (bob.status, bob.role.slug) == ("removed", "guest")

    def test_the_rules_for_a_role_go_with_it(self, clerk: Role) -> None:
        restrictions.create(subject=clerk, mode=Restriction.Mode.BLOCK, surface=Surface.SYSTEM)
        roles.delete(role=clerk, surface=Surface.SYSTEM)
        assert not Restriction.objects.exists()

    def test_every_change_is_audited_and_bumps_the_version(self, acme: Organization, alice: Member) -> None:
        token = cast.token(alice, scopes=[Scope.READ])
        versions = [grants.authenticate(token).version]
        role = create(acme, *CLERK, actor=alice)
        versions.append(grants.authenticate(token).version)
        change(role, "tool:execute", actor=alice)
        versions.append(grants.authenticate(token).version)
        roles.delete(role=role, surface=Surface.SYSTEM, actor=alice)
        versions.append(grants.authenticate(token).version)
        assert versions == sorted(set(versions))
        events = AuditEvent.objects.filter(action__startswith="role.").order_by("at")
        assert [event.action for event in events] == ["role.create", "role.change", "role.delete"]
        assert [event.detail["permissions"] for event in events] == [sorted(CLERK), *[["tool:execute"]] * 2]
        assert {event.actor for event in events} == {alice}


class TestAdmin:
    def test_a_role_is_made_changed_and_deleted_there(self, alice: Member) -> None:
        client = signed_in(alice)
        form: dict[str, Any] = {"organization": str(alice.organization_id), "label": "Clerk", "slug": "clerk"}
        assert client.post(page("add"), {**form, "permissions": CLERK}).status_code == 302
        role = Role.objects.get(slug="clerk")
        assert role.permissions == sorted(CLERK)
        assert (
            client.post(page("change", role), {"label": "Clerks", "permissions": ["tool:execute"]}).status_code == 302
        )
        role.refresh_from_db()
        assert (role.label, role.slug, role.permissions) == ("Clerks", "clerk", ["tool:execute"])
        assert client.post(page("delete", role), {"post": "yes"}).status_code == 302
        assert not Role.objects.filter(slug="clerk").exists()

    def test_what_is_not_held_is_refused_on_the_page(self, otto: Member, clerk: Role) -> None:
        response = signed_in(otto).post(
            page("change", clerk), {"label": "Clerk", "permissions": list(Permission)}, follow=True
        )
        assert "organization:manage, restriction:override" in response.content.decode()
        clerk.refresh_from_db()
        assert clerk.permissions == sorted(CLERK)

    def test_a_role_in_use_is_refused_on_the_page(self, alice: Member, bob: Member, clerk: Role) -> None:
        memberships.change_role(member=bob, role=clerk, surface=Surface.SYSTEM)
        response = signed_in(alice).post(page("delete", clerk), {"post": "yes"}, follow=True)
        assert "the role of 1 member" in response.content.decode()


def signed_in(member: Member) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def page(name: str, role: Role | None = None) -> str:
    return reverse(f"admin:accesscontrol_role_{name}", args=[role.pk] if role else [])
