"""Personal tokens: shown once, kept as a hash, and refused in one way whatever ended them."""

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accesscontrol.exceptions import GrantEnded, InvalidToken, MemberNotActive
from accesscontrol.models import AuditEvent, Grant, Member, Surface
from accesscontrol.permissions import Scope
from accesscontrol.services import grants, memberships
from tests import cast


def test_a_token_leads_to_its_member_scopes_and_version(bob: Member) -> None:
    caller = grants.authenticate(cast.token(bob, scopes=[Scope.READ]))
    assert caller.member == bob
    assert caller.scopes == {Scope.READ}
    assert caller.version == caller.organization.version


def test_authentication_takes_one_query_once_its_use_was_noted(
    bob: Member, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    token = cast.token(bob)
    grants.authenticate(token)
    with django_assert_num_queries(1):
        caller = grants.authenticate(token)
        assert caller.organization.version
        assert caller.member.role.permissions


def test_the_token_itself_is_stored_nowhere(bob: Member) -> None:
    token = cast.token(bob)
    row = Grant.objects.filter(member=bob).values().get()
    assert token not in str(row)
    assert token not in str(list(AuditEvent.objects.values()))


def test_expired_revoked_unknown_and_malformed_tokens_are_refused_alike(bob: Member) -> None:
    expired, revoked = cast.token(bob), cast.token(bob)
    first, second = Grant.objects.filter(member=bob).order_by("created_at")
    Grant.objects.filter(pk=first.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    grants.revoke(grant=second, reason="a test", surface=Surface.SYSTEM)
    said = set()
    for token in (expired, revoked, "elaichi_unknown", "", "\ud800", "x" * 10_000):
        with pytest.raises(InvalidToken) as refusal:
            grants.authenticate(token)
        said.add(str(refusal.value))
    assert len(said) == 1
    refused = AuditEvent.objects.filter(action="grant.refused")
    assert sorted(refused.values_list("outcome", flat=True)) == ["expired", "revoked"]


def test_no_token_is_issued_to_a_member_who_is_not_active(bob: Member) -> None:
    memberships.suspend(member=bob, surface=Surface.SYSTEM)
    with pytest.raises(MemberNotActive):
        cast.token(bob)


def test_a_grant_revoked_during_a_call_ends_it_at_the_next_check(bob: Member) -> None:
    caller = grants.authenticate(cast.token(bob))
    assert grants.renew(caller).member == bob
    grants.revoke(grant=Grant.objects.get(member=bob), reason="a test", surface=Surface.SYSTEM)
    with pytest.raises(GrantEnded):
        grants.renew(caller)


def test_revoking_twice_is_told_and_recorded_once(bob: Member) -> None:
    cast.token(bob)
    grant = Grant.objects.get(member=bob)
    assert grants.revoke(grant=grant, reason="a test", surface=Surface.SYSTEM)
    assert not grants.revoke(grant=grant, reason="a test", surface=Surface.SYSTEM)
    assert AuditEvent.objects.filter(action="grant.revoke").count() == 1
