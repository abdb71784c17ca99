"""Suspending and removing end every live grant in the transaction of the change."""

import threading
from typing import Any

import pytest
from django.db import connection, transaction

from accesscontrol.exceptions import Conflict, InvalidToken, MemberNotActive, PermissionRequired
from accesscontrol.models import AuditEvent, Grant, Member, Surface
from accesscontrol.services import grants, memberships
from accesscontrol.signals import membership_ending
from tests import cast


@pytest.mark.requirement("S25")
@pytest.mark.parametrize("service", [memberships.suspend, memberships.remove])
def test_a_suspended_or_removed_member_keeps_no_live_grant(bob: Member, service: object) -> None:
    tokens = [cast.token(bob) for _ in range(3)]
    assert callable(service)
    service(member=bob, surface=Surface.SYSTEM)
    assert not Grant.objects.filter(member=bob, revoked_at__isnull=True).exists()
    for token in tokens:
        with pytest.raises(InvalidToken):
            grants.authenticate(token)


@pytest.mark.requirement("S25")
def test_the_grants_live_on_if_the_change_is_rolled_back(bob: Member) -> None:
    token = cast.token(bob)
    with transaction.atomic():
        memberships.suspend(member=bob, surface=Surface.SYSTEM)
        transaction.set_rollback(True)
    assert grants.authenticate(token).member == bob


def test_reinstating_brings_no_grant_back(bob: Member) -> None:
    token = cast.token(bob)
    memberships.suspend(member=bob, surface=Surface.SYSTEM)
    memberships.reinstate(member=bob, surface=Surface.SYSTEM)
    with pytest.raises(InvalidToken):
        grants.authenticate(token)
    assert grants.authenticate(cast.token(bob)).member == bob


def test_a_change_is_recorded_and_bumps_the_version(bob: Member) -> None:
    before = bob.organization.version
    memberships.suspend(member=bob, surface=Surface.SYSTEM)
    bob.organization.refresh_from_db()
    assert bob.organization.version > before
    event = AuditEvent.objects.get(action="member.suspend")
    assert event.detail == {"member": bob.user.email, "grants_revoked": 0}


def test_a_change_that_does_not_fit_the_status_is_refused(bob: Member) -> None:
    with pytest.raises(Conflict, match="is active"):
        memberships.reinstate(member=bob, surface=Surface.SYSTEM)
    memberships.remove(member=bob, surface=Surface.SYSTEM)
    with pytest.raises(Conflict, match="is removed"):
        memberships.suspend(member=bob, surface=Surface.SYSTEM)


def test_the_last_owner_stays(alice: Member) -> None:
    with pytest.raises(Conflict, match="at least one Org Owner"):
        memberships.suspend(member=alice, surface=Surface.SYSTEM)
    second = cast.member(alice.organization, "bea", "org-owner")
    memberships.suspend(member=alice, surface=Surface.SYSTEM)
    with pytest.raises(Conflict, match="at least one Org Owner"):
        memberships.remove(member=second, surface=Surface.SYSTEM)


@pytest.mark.django_db(transaction=True)
def test_two_owners_cannot_end_each_other_at_once() -> None:
    home = cast.organization("race")
    owners = [cast.member(home, name, "org-owner") for name in ("ann", "ben")]
    _at_once(*[lambda owner=owner: memberships.suspend(member=owner, surface=Surface.SYSTEM) for owner in owners])
    assert Member.objects.filter(organization=home, status=Member.Status.ACTIVE).count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.requirement("S25")
def test_no_token_is_born_after_a_suspension_that_races_with_it() -> None:
    home = cast.organization("race")
    for number in range(20):
        member = cast.member(home, f"dan{number}")
        _at_once(
            lambda member=member: cast.token(member),
            lambda member=member: memberships.suspend(member=member, surface=Surface.SYSTEM),
        )
        assert not Grant.objects.filter(member=member, revoked_at__isnull=True).exists()


def _at_once(*actions: object) -> None:
    """Runs each action in a thread and on a connection of its own; a refusal is an answer, not a failure."""
    barrier = threading.Barrier(len(actions))
    failures: list[BaseException] = []

    def run(action: object) -> None:
        assert callable(action)
        barrier.wait(10)
        try:
            action()
        except (Conflict, MemberNotActive):
            pass
        except BaseException as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(action,)) for action in actions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert failures == []


def test_nobody_ends_or_changes_a_membership_above_their_own(alice: Member) -> None:
    manager = cast.member(alice.organization, "pam", "people-admin")
    target = cast.member(alice.organization, "otto", "org-admin")
    below = cast.member(alice.organization, "mia")
    for service in (memberships.suspend, memberships.remove):
        with pytest.raises(PermissionRequired):
            service(member=target, surface=Surface.ADMIN, actor=manager)
    memberships.suspend(member=below, surface=Surface.ADMIN, actor=manager)
    memberships.suspend(member=target, surface=Surface.ADMIN, actor=alice)


def test_a_plain_member_or_one_of_another_organization_changes_nothing(bob: Member, charlie: Member) -> None:
    other = cast.member(bob.organization, "mia")
    for actor in (other, charlie):
        with pytest.raises(PermissionRequired, match="member:manage"):
            memberships.suspend(member=bob, surface=Surface.ADMIN, actor=actor)


def test_a_role_is_given_by_those_who_hold_all_of_it(alice: Member, bob: Member) -> None:
    roles = {role.slug: role for role in alice.organization.roles.all()}
    manager = cast.member(alice.organization, "pam", "people-admin")
    with pytest.raises(PermissionRequired):
        memberships.change_role(member=bob, role=roles["org-admin"], surface=Surface.ADMIN, actor=manager)
    before = alice.organization.version
    memberships.change_role(member=bob, role=roles["team-admin"], surface=Surface.ADMIN, actor=manager)
    bob.refresh_from_db()
    alice.organization.refresh_from_db()
    assert bob.role.slug == "team-admin"
    assert alice.organization.version > before
    event = AuditEvent.objects.get(action="member.change_role")
    assert event.detail == {"member": bob.user.email, "role": "team-admin", "previous_role": "member"}


def test_the_last_owner_is_not_demoted_and_a_foreign_role_is_refused(alice: Member, charlie: Member) -> None:
    member_role = alice.organization.roles.get(slug="member")
    with pytest.raises(Conflict, match="at least one Org Owner"):
        memberships.change_role(member=alice, role=member_role, surface=Surface.SYSTEM)
    with pytest.raises(Conflict, match="own organization"):
        memberships.change_role(member=alice, role=charlie.role, surface=Surface.SYSTEM)


def test_a_receiver_that_raises_fails_the_whole_removal(bob: Member) -> None:
    token = cast.token(bob)

    def refuse(**kwargs: object) -> None:
        raise Conflict("not yet")

    membership_ending.connect(refuse)
    try:
        with pytest.raises(Conflict, match="not yet"):
            memberships.remove(member=bob, surface=Surface.SYSTEM)
    finally:
        membership_ending.disconnect(refuse)
    assert grants.authenticate(token).member == bob


def test_a_removal_previews_what_ends_with_it(bob: Member) -> None:
    cast.token(bob)
    cast.token(bob)
    seen = memberships.preview(bob)
    assert (seen.live_grants, seen.clients) == (2, ("A test",))
    assert seen.shared == ()


@pytest.mark.django_db(transaction=True)
@pytest.mark.requirement("S25")
def test_a_failure_after_any_statement_of_a_removal_leaves_everything_or_nothing() -> None:
    home = cast.organization("failing")
    failed_at = 0
    for statement in range(1, 100):
        member = cast.member(home, f"eve{statement}")
        cast.token(member)
        try:
            with connection.execute_wrapper(_failing_after(statement)):
                memberships.remove(member=member, surface=Surface.SYSTEM)
        except _Injected:
            failed_at = statement
            member.refresh_from_db()
            assert member.status == Member.Status.ACTIVE
            assert Grant.objects.filter(member=member, revoked_at__isnull=True).count() == 1
            assert not AuditEvent.objects.filter(action="member.remove", target=f"member:{member.pk}").exists()
        else:
            member.refresh_from_db()
            assert member.status == Member.Status.REMOVED
            assert not Grant.objects.filter(member=member, revoked_at__isnull=True).exists()
            break
    assert failed_at >= 5


class _Injected(Exception):
    pass


def _failing_after(statement: int) -> Any:
    """Lets that many statements through and fails right after the last of them."""
    done = 0

    def wrapper(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        nonlocal done
        result = execute(sql, params, many, context)
        done += 1
        if done == statement:
            raise _Injected
        return result

    return wrapper
