"""Who may write and lift rules, and what an administrator is told about them."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accesscontrol.caller import caller_of
from accesscontrol.exceptions import Conflict, MemberNotActive, PermissionRequired, Refusal
from accesscontrol.models import AuditEvent, Member, Organization, Restriction, Role, Surface
from accesscontrol.permissions import Permission
from accesscontrol.policy import ToolRef
from accesscontrol.resolver import Checkpoint, decide
from accesscontrol.services import memberships, restrictions
from accesscontrol.services.restrictions import SelfDealing
from tests import cast

BLOCK, ALLOW = Restriction.Mode.BLOCK, Restriction.Mode.ALLOW
ADD = "admin:accesscontrol_restriction_add"


@pytest.fixture
def pia(acme: Organization) -> Member:
    return cast.member(acme, "pia", "people-admin")


def write(subject: Role | Member, by: Member | None = None, *, mode: Any = BLOCK, names: str = "notion") -> Restriction:
    return restrictions.create(subject=subject, mode=mode, connectors=names.split(), surface=Surface.ADMIN, actor=by)


def lift(rule: Restriction, by: Member | None = None) -> None:
    restrictions.delete(restriction=rule, surface=Surface.ADMIN, actor=by)


def change(rule: Restriction, by: Member | None = None, **fields: Any) -> Restriction:
    found = Restriction.objects.get(pk=rule.pk)
    for name, value in fields.items():
        setattr(found, name, value)
    return restrictions.store(restriction=found, surface=Surface.ADMIN, actor=by)


def reaches(member: Member, connector: str, tool: str) -> bool:
    found = Member.objects.select_related("organization", "role", "user").get(pk=member.pk)
    return decide(Checkpoint.EXECUTE, caller_of(found, surface=Surface.SYSTEM), ToolRef(connector, (), tool)).allowed


def test_a_rule_holds_changes_and_ends_with_each_commit(pam: Member, bob: Member) -> None:
    rule = write(bob.role, pam)
    assert not reaches(bob, "notion", "create_page")
    change(rule, pam, connectors=["xero"])
    assert (reaches(bob, "notion", "create_page"), reaches(bob, "xero", "pay")) == (True, False)
    lift(rule, pam)
    assert reaches(bob, "xero", "pay")


def test_each_change_is_recorded_with_its_author_and_bumps_the_version(pam: Member, bob: Member) -> None:
    rule = write(bob, pam)
    change(rule, pam, connectors=["xero"])
    lift(rule, pam)
    events = AuditEvent.objects.filter(action__startswith="restriction.").order_by("at")
    assert [(event.action, event.actor) for event in events] == [
        ("restriction.create", pam),
        ("restriction.change", pam),
        ("restriction.delete", pam),
    ]
    before = pam.organization.version
    pam.organization.refresh_from_db()
    assert pam.organization.version >= before + 3


def test_writing_needs_the_permission_as_it_is_now(pam: Member, bob: Member, alice: Member) -> None:
    with pytest.raises(PermissionRequired, match="restriction:manage"):
        write(alice, bob)
    memberships.change_role(member=pam, role=bob.role, surface=Surface.SYSTEM)
    with pytest.raises(PermissionRequired, match="restriction:manage"):
        write(alice, pam)
    memberships.suspend(member=pam, surface=Surface.SYSTEM)
    with pytest.raises(MemberNotActive):
        write(alice, pam)
    assert not Restriction.objects.exists()


def test_an_administrator_of_another_organization_may_nothing(bob: Member, charlie: Member) -> None:
    with pytest.raises(PermissionRequired):
        write(bob, charlie)
    rule = write(bob)
    for attempt in (lambda: lift(rule, charlie), lambda: change(rule, charlie, connectors=[])):
        with pytest.raises(PermissionRequired):
            attempt()


def test_a_rule_cannot_move_to_another_organization(bob: Member, charlie: Member) -> None:
    rule = write(bob)
    with pytest.raises(Conflict):
        change(rule, organization=charlie.organization, member=charlie)
    assert Restriction.objects.get().member == bob


def test_a_rule_lifted_meanwhile_is_told(bob: Member) -> None:
    rule = write(bob)
    copy = Restriction.objects.get(pk=rule.pk)
    lift(rule)
    for attempt in (lambda: lift(copy), lambda: restrictions.store(restriction=copy, surface=Surface.ADMIN)):
        with pytest.raises(Conflict, match="meanwhile"):
            attempt()


class TestRulesOfOthers:
    def test_they_are_lifted_and_changed_only_with_override(
        self, pam: Member, pia: Member, alice: Member, bob: Member
    ) -> None:
        rule = write(bob.role, pia)
        for attempt in (lambda: lift(rule, pam), lambda: change(rule, pam, connectors=[])):
            with pytest.raises(PermissionRequired, match="restriction:override"):
                attempt()
        lift(rule, alice)
        assert not Restriction.objects.exists()

    def test_what_the_command_line_wrote_takes_override_too(self, pam: Member, bob: Member) -> None:
        with pytest.raises(PermissionRequired, match="restriction:override"):
            lift(write(bob.role), pam)

    def test_who_changes_a_rule_is_its_author_from_then_on(self, pam: Member, alice: Member, bob: Member) -> None:
        rule = change(write(bob.role, pam), alice, connectors=["xero"])
        assert rule.created_by == alice
        with pytest.raises(PermissionRequired, match="restriction:override"):
            lift(rule, pam)


class TestSelfDealing:
    def test_a_rule_for_one_s_own_role_is_refused_with_override_too(self, pam: Member, alice: Member) -> None:
        for actor in (pam, alice):
            for mode, names in ((ALLOW, "notion"), (BLOCK, "notion")):
                with pytest.raises(SelfDealing, match="same permissions as your own"):
                    write(actor.role, actor, mode=mode, names=names)

    def test_a_copy_of_one_s_own_role_counts_as_it(self, pam: Member) -> None:
        copy = Role.objects.create(
            organization=pam.organization, slug="copy", label="Copy", permissions=pam.role.permissions[::-1]
        )
        with pytest.raises(SelfDealing):
            write(copy, pam)
        smaller = Role.objects.create(
            organization=pam.organization, slug="less", label="Less", permissions=pam.role.permissions[1:]
        )
        write(smaller, pam)

    def test_a_rule_does_not_move_to_one_s_own_role_by_a_change(self, pam: Member, bob: Member) -> None:
        rule = write(bob.role, pam)
        with pytest.raises(SelfDealing):
            change(rule, pam, role=pam.role)
        assert Restriction.objects.get().role == bob.role

    def test_a_rule_for_one_s_own_role_is_lifted_only_with_override(
        self, pam: Member, alice: Member, acme: Organization
    ) -> None:
        written_before = write(pam.role, cast.member(acme, "ora", "org-admin"))
        Restriction.objects.update(created_by=pam)
        with pytest.raises(PermissionRequired, match="restriction:override"):
            lift(written_before, pam)
        own = write(alice.role)
        lift(own, alice)

    def test_whoever_is_restricted_by_another_writes_nothing_about_themself(
        self, pam: Member, pia: Member, bob: Member
    ) -> None:
        mine = write(pam, pam, names="xero")
        write(pam, pia, mode=ALLOW, names="notion")
        attempts = (
            lambda: write(pam, pam, mode=ALLOW, names="zendesk"),
            lambda: lift(mine, pam),
            lambda: change(mine, pam, connectors=[]),
        )
        for attempt in attempts:
            with pytest.raises(SelfDealing, match="not yours to lift"):
                attempt()
        write(bob, pam)

    def test_a_rule_for_the_role_binds_as_one_in_person_does(self, pam: Member) -> None:
        write(pam.role)
        with pytest.raises(SelfDealing, match="not yours to lift"):
            write(pam, pam)

    def test_one_s_own_rules_about_oneself_come_and_go(self, pam: Member) -> None:
        rule = write(pam, pam)
        lift(write(pam, pam, names="xero"), pam)
        lift(rule, pam)

    def test_with_override_every_rule_on_oneself_is_one_s_own_to_lift(self, pam: Member, alice: Member) -> None:
        rule = write(alice, pam)
        write(alice.role)
        write(alice, alice, names="xero")
        lift(rule, alice)

    def test_the_command_line_and_a_superuser_from_outside_are_not_asked(self, alice: Member) -> None:
        lift(write(alice.role))

    def test_the_role_is_read_under_the_lock_and_not_as_it_came(self, pam: Member, bob: Member) -> None:
        stale = Role.objects.get(pk=bob.role_id)
        Role.objects.filter(pk=bob.role_id).update(permissions=pam.role.permissions)
        with pytest.raises(SelfDealing):
            write(stale, pam)


class TestTheForm:
    def form(self, of: Member, **fields: str) -> dict[str, str]:
        empty = {"organization": str(of.organization_id), "role": "", "member": str(of.pk), "mode": "allow"}
        return {**empty, "connectors": "", "tools": "", "note": "", **fields}

    def post(self, by: Member, url: str, form: dict[str, str]) -> Any:
        client = Client()
        client.force_login(by.user)
        return client.post(url, form, follow=True)

    def test_an_allow_rule_that_names_nothing_is_kept_only_once_confirmed(self, alice: Member, bob: Member) -> None:
        refused = self.post(alice, reverse(ADD), self.form(bob)).content.decode()
        assert "denies bob@acme.example every connector and tool" in refused
        assert 'type="checkbox" name="denies_everything"' in refused
        assert not Restriction.objects.exists()
        told = self.post(alice, reverse(ADD), self.form(bob, denies_everything="on")).content.decode()
        assert Restriction.objects.get().denies_everything
        assert "denies bob@acme.example everything" in told

    @pytest.mark.parametrize("fields", [{"connectors": "notion"}, {"tools": "notion.create_page"}, {"mode": "block"}])
    def test_other_rules_need_no_confirming_and_show_no_box(
        self, alice: Member, bob: Member, fields: dict[str, str]
    ) -> None:
        client = Client()
        client.force_login(alice.user)
        assert 'type="hidden" name="denies_everything"' in client.get(reverse(ADD)).content.decode()
        self.post(alice, reverse(ADD), self.form(bob, **fields))
        assert Restriction.objects.count() == 1

    def test_a_change_that_leaves_nothing_named_is_confirmed_too(self, alice: Member, bob: Member) -> None:
        rule = write(bob, alice, mode=ALLOW)
        url = reverse("admin:accesscontrol_restriction_change", args=[rule.pk])
        self.post(alice, url, self.form(bob))
        rule.refresh_from_db()
        assert rule.connectors == ["notion"]

    def test_names_that_nothing_has_are_a_warning_and_the_rule_is_kept(self, alice: Member, bob: Member) -> None:
        cast.tool(cast.connector(alice.organization), "create_page")
        cast.tool(cast.connector(cast.organization("globex"), "zendesk"), "create_ticket")
        names = {"connectors": "notion, zendesk", "tools": "notion.create_page, notion.gone, zendesk.create_ticket"}
        said = self.post(alice, reverse(ADD), self.form(bob, **names)).content.decode()
        assert Restriction.objects.count() == 1
        for unknown in ("zendesk", "notion.gone", "zendesk.create_ticket"):
            assert f"Nothing here is called {unknown} " in said
        for known in ("notion", "notion.create_page"):
            assert f"Nothing here is called {known} " not in said

    def test_a_refusal_is_told_on_the_page_and_nothing_is_kept(self, pam: Member, bob: Member) -> None:
        said = self.post(pam, reverse(ADD), self.form(bob, member="", role=str(pam.role_id), mode="block"))
        assert "same permissions as your own" in said.content.decode()
        rule = write(bob)
        url = reverse("admin:accesscontrol_restriction_delete", args=[rule.pk])
        assert "restriction:override" in self.post(pam, url, {"post": "yes"}).content.decode()
        selected = {"action": "delete_selected", "_selected_action": [str(rule.pk)], "post": "yes"}
        listed = reverse("admin:accesscontrol_restriction_changelist")
        assert "restriction:override" in self.post(pam, listed, selected).content.decode()  # type: ignore[arg-type]
        assert list(Restriction.objects.all()) == [rule]


def test_the_command_warns_beside_what_it_prints(bob: Member) -> None:
    out, err = StringIO(), StringIO()
    call_command("restrict", "--role", "member", "--allow", stdout=out, stderr=err)
    call_command("restrict", "--member", bob.user.email, "--block", "nowhere.at_all", stdout=out, stderr=err)
    assert sorted(out.getvalue().split()) == sorted(map(str, Restriction.objects.values_list("pk", flat=True)))
    assert "denies Member everything" in err.getvalue()
    assert "Nothing here is called nowhere.at_all " in err.getvalue()


def test_a_refusal_names_nobody_else_s_rule(pam: Member, pia: Member) -> None:
    rule = write(pam, pia, names="secret_connector")
    with pytest.raises(Refusal) as refusal:
        lift(rule, pam)
    assert "secret_connector" not in str(refusal.value)
    assert pia.user.email not in str(refusal.value)
    assert Permission.RESTRICTION_OVERRIDE in str(refusal.value)
