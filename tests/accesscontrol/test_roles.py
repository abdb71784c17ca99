"""The built-in roles, and what a member without a permission or a membership may do."""

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from accesscontrol.models import Member, Organization, Restriction, Role, User
from accesscontrol.permissions import (
    AUDITOR,
    BUILT_IN_ROLES,
    GUEST,
    MEMBER,
    ORG_ADMIN,
    ORG_OWNER,
    PEOPLE_ADMIN,
    TEAM_ADMIN,
    Permission,
)


def test_the_chain_is_strict_and_the_auditor_stands_beside_it() -> None:
    assert GUEST < MEMBER < TEAM_ADMIN < PEOPLE_ADMIN < ORG_ADMIN < ORG_OWNER
    assert Permission.TOOL_EXECUTE not in AUDITOR
    assert Permission.AUDIT_VIEW in AUDITOR
    assert not AUDITOR < MEMBER


def test_an_organization_is_founded_with_them(acme: Organization) -> None:
    assert set(acme.roles.values_list("slug", flat=True)) == {role.slug for role in BUILT_IN_ROLES}
    assert all(acme.roles.values_list("built_in", flat=True))


def test_a_member_who_is_not_active_may_nothing(bob: Member) -> None:
    assert bob.may(Permission.TOOL_EXECUTE)
    for status in (Member.Status.SUSPENDED, Member.Status.REMOVED):
        bob.status = status
        assert not bob.may(Permission.TOOL_EXECUTE)


def test_a_member_has_a_role_of_their_own_organization(bob: Member, charlie: Member) -> None:
    bob.role = charlie.role
    with pytest.raises(ValidationError, match="own organization"):
        bob.full_clean()


def test_addresses_are_one_whatever_their_case(bob: Member) -> None:
    assert User.objects.get_by_natural_key("BOB@Acme.example") == bob.user
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create(email="Bob@ACME.example")


def test_a_restriction_is_for_a_role_or_a_member_also_in_the_database(bob: Member) -> None:
    for subject in ({}, {"role": bob.role, "member": bob}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Restriction.objects.create(organization=bob.organization, **subject)


def test_rows_are_reached_through_their_organization(bob: Member, charlie: Member) -> None:
    assert list(Member.objects.of(bob.organization)) == [bob]
    assert bob.role not in Role.objects.of(charlie.organization)


def test_a_role_that_members_have_cannot_be_deleted(bob: Member) -> None:
    with pytest.raises(Exception, match="protected"):
        bob.role.delete()
