"""The resolver: live at every checkpoint, one query per version, and never a stale answer."""

from functools import partial

import pytest
from django.db import transaction
from pytest_django import DjangoAssertNumQueries

from accesscontrol import versions
from accesscontrol.caller import Caller, caller_of
from accesscontrol.models import Member, Organization, Restriction, Surface
from accesscontrol.policy import ToolRef
from accesscontrol.resolver import Checkpoint, decide, decide_each
from accesscontrol.services import restrictions
from accesscontrol.versioned_cache import VersionedCache

REF = ToolRef("notion", (), "create_page")


def fresh(member: Member) -> Caller:
    return caller_of(
        Member.objects.select_related("organization", "role", "user").get(pk=member.pk), surface=Surface.SYSTEM
    )


@pytest.mark.parametrize("checkpoint", Checkpoint)
def test_every_checkpoint_denies_what_a_rule_denies(bob: Member, checkpoint: Checkpoint) -> None:
    assert decide(checkpoint, fresh(bob), REF).allowed
    rule = restrictions.create(
        subject=bob.role, mode=Restriction.Mode.BLOCK, tools=["notion.create_page"], surface=Surface.SYSTEM
    )
    assert not decide(checkpoint, fresh(bob), REF).allowed
    restrictions.delete(restriction=rule, surface=Surface.SYSTEM)
    assert decide(checkpoint, fresh(bob), REF).allowed


def test_a_policy_is_read_once_per_version(bob: Member, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    caller = fresh(bob)
    with django_assert_num_queries(1):
        for _ in range(3):
            decide(Checkpoint.EXECUTE, caller, REF)
            decide_each(Checkpoint.ADVERTISE, caller, [REF])


def test_one_member_s_rules_are_not_another_s(bob: Member, alice: Member) -> None:
    restrictions.create(subject=bob, mode=Restriction.Mode.BLOCK, connectors=["notion"], surface=Surface.SYSTEM)
    assert not decide(Checkpoint.EXECUTE, fresh(bob), REF).allowed
    assert decide(Checkpoint.EXECUTE, fresh(alice), REF).allowed


def test_a_version_is_bumped_only_inside_a_transaction(acme: Organization) -> None:
    before = acme.version
    with transaction.atomic():
        versions.bump(acme)
    acme.refresh_from_db()
    assert acme.version == before + 1


@pytest.mark.django_db(transaction=True)
def test_a_bump_outside_a_transaction_is_refused() -> None:
    with pytest.raises(transaction.TransactionManagementError):
        versions.bump(Organization(slug="x", name="X"))


def test_the_cache_never_answers_for_another_version() -> None:
    cache: VersionedCache[str] = VersionedCache(size=2)
    assert cache.get("a", 1, lambda: "one") == "one"
    assert cache.get("a", 1, lambda: "other") == "one"
    assert cache.get("a", 2, lambda: "two") == "two"
    assert cache.get("a", 1, lambda: "late") == "late"
    assert cache.get("a", 2, lambda: "again") == "two"


def test_the_cache_forgets_what_was_used_least_recently() -> None:
    cache: VersionedCache[str] = VersionedCache(size=2)
    for key in ("a", "b"):
        cache.get(key, 1, partial(str, key))
    cache.get("a", 1, lambda: "unused")
    cache.get("c", 1, lambda: "c")
    assert cache.get("a", 1, lambda: "new") == "a"
    assert cache.get("b", 1, lambda: "new") == "new"
