"""Suspending and removing end every live grant in the transaction of the change."""

import threading

import pytest
from django.db import connection, transaction

from accesscontrol.exceptions import Conflict, InvalidToken, MemberNotActive
from accesscontrol.models import AuditEvent, Grant, Member, Surface
from accesscontrol.services import grants, memberships
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
