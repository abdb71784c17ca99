"""The reach report: agrees with everybody's pool, whatever changes, and takes its tasks in any order."""

import threading
from collections import defaultdict
from datetime import UTC, datetime
from uuid import UUID

import pytest
from django.db import connection, transaction
from pytest_django import DjangoAssertNumQueries

from accesscontrol import versions
from accesscontrol.models import Member, Organization, Restriction, Surface
from accesscontrol.services import memberships, restrictions
from connectors.models import Connection, Connector, Toolbox
from search import reach_report
from search.models import ReachAllowance, ReachAudience, ReachConnection, ReachMember, ReachRow, ReachTools
from search.tasks import apply_reach, sweep_reach
from tests import cast
from tests.connectors.toolboxes import freeze, share, toolbox
from tests.search.reach_world import World, by_pools, reported


@pytest.fixture
def notion(bob: Member) -> Connector:
    connector = cast.connector(bob.organization)
    cast.tool(connector, "create_page", "Create a page", method="POST")
    cast.tool(connector, "delete_page", "Delete a page", method="DELETE")
    cast.connection(bob, connector)
    return connector


def apply(organization: Organization) -> bool:
    organization.refresh_from_db()
    return reach_report.apply(organization.pk, organization.version)


def block(subject: Member, tool: str = "notion.delete_page") -> Restriction:
    return restrictions.create(subject=subject, mode=Restriction.Mode.BLOCK, tools=[tool], surface=Surface.SYSTEM)


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(8))
def test_the_report_agrees_with_the_pool_of_every_member_through_any_changes(seed: int) -> None:
    world = World(seed)
    for _ in range(6):
        assert apply(world.home)
        world.home.refresh_from_db()
        assert reported(world.home) == by_pools(world.home)
        for _ in range(4):
            world.change()


@pytest.mark.django_db
def test_the_made_up_organizations_hold_something_to_compare() -> None:
    found = [by_pools(World(seed, f"world-{seed}").home) for seed in range(6)]
    assert sum(map(bool, found)) >= 4
    assert sum(1 <= len(tools) < 4 for reach in found for tools in reach.values()) >= 3


def test_the_report_is_asked_from_both_ends(notion: Connector, alice: Member, bob: Member) -> None:
    cast.connection(alice, notion, "Alice's own")
    block(bob)
    apply(bob.organization)
    rows = ReachRow.objects.of(bob.organization)
    assert rows.get(member=bob).tools == ["create_page"]
    assert {row.member for row in reach_report.reaching(rows, "notion.create_page")} == {alice, bob}
    assert {row.member for row in reach_report.reaching(rows, "notion.delete_page")} == {alice}


def through_toolboxes(organization: Organization) -> set[tuple[str, str, str, str, tuple[str, ...]]]:
    apply(organization)
    rows = ReachRow.objects.of(organization).exclude(toolbox="").select_related("member__user")
    return {(row.member.user.name, row.toolbox, row.label, row.owner, tuple(row.tools)) for row in rows}


def test_what_pins_of_shared_toolboxes_hand_out_is_reported_as_the_pool_has_it(
    notion: Connector, alice: Member, bob: Member
) -> None:
    bea, gus = cast.member(bob.organization, "bea"), cast.member(bob.organization, "gus")
    box, account = toolbox(bob), Connection.objects.get()
    for name in ("create_page", "delete_page"):
        freeze(box, notion, name, connections=[account])
    share(box, bea)
    block(bea)
    apply(bob.organization)
    assert through_toolboxes(bob.organization) == {
        ("Bob", "Support", "Main", "bob@acme.example", ("delete_page",)),
        ("Bob", "Support", "Main", "bob@acme.example", ("create_page",)),
        ("Bea", "Support", "Main", "bob@acme.example", ("create_page",)),
    }
    found: dict[tuple[UUID, UUID], set[str]] = defaultdict(set)
    for row in ReachRow.objects.of(bob.organization):
        found[row.member_id, row.connection] |= set(row.tools)
    assert found == by_pools(bob.organization)
    assert (gus.pk, account.pk) not in found


@pytest.mark.parametrize("ends", ["unshared", "pinner", "toolbox", "account", "tool"])
def test_it_is_out_of_the_report_with_whatever_ends_it(notion: Connector, bob: Member, ends: str) -> None:
    bea = cast.member(bob.organization, "bea")
    box, account = toolbox(bob), Connection.objects.get()
    freeze(box, notion, "create_page", connections=[account])
    share(box, bea)
    assert {member for member, *_ in through_toolboxes(bob.organization)} == {"Bob", "Bea"}
    with transaction.atomic():
        versions.bump(bob.organization)
        match ends:
            case "unshared":
                box.shares.all().delete()
            case "pinner":
                block(bob, "notion.create_page")
            case "toolbox":
                Toolbox.objects.update(enabled=False)
            case "account":
                Connection.objects.update(status=Connection.Status.NEEDS_REAUTH)
            case "tool":
                notion.tools.update(enabled=False)
    assert "Bea" not in {member for member, *_ in through_toolboxes(bob.organization)}


def test_one_organization_s_report_leaves_another_s_alone(notion: Connector, bob: Member, charlie: Member) -> None:
    other = cast.connector(charlie.organization)
    cast.tool(other, "create_page", "Create a page")
    cast.connection(charlie, other)
    for member in (bob, charlie, bob):
        reach_report.apply(member.organization_id, member.organization.version + 1)
    assert {row.member for row in ReachRow.objects.all()} == {bob, charlie}


def test_a_suspended_member_is_gone_from_the_report(notion: Connector, bob: Member) -> None:
    apply(bob.organization)
    assert ReachRow.objects.filter(member=bob).exists()
    memberships.suspend(member=bob, surface=Surface.SYSTEM)
    apply(bob.organization)
    assert not ReachRow.objects.exists()
    for model in (ReachAllowance, ReachAudience, ReachConnection, ReachMember, ReachTools):
        assert not model._default_manager.exists()


def test_a_task_that_comes_twice_changes_nothing_the_second_time(notion: Connector, bob: Member) -> None:
    bob.organization.refresh_from_db()
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    assert reach_report.apply(bob.organization_id, bob.organization.version, now=noon)
    apply_reach(str(bob.organization_id), bob.organization.version)
    bob.organization.refresh_from_db()
    assert bob.organization.applied_at == noon


def test_tasks_that_come_out_of_order_end_at_the_last_version(notion: Connector, bob: Member) -> None:
    bob.organization.refresh_from_db()
    first = bob.organization.version
    rule = block(bob)
    restrictions.delete(restriction=rule, surface=Surface.SYSTEM)
    block(bob, "notion.create_page")
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    assert reach_report.apply(bob.organization_id, first + 3, now=noon)
    for late in (first, first + 2, first + 1):
        apply_reach(str(bob.organization_id), late)
    bob.organization.refresh_from_db()
    assert (bob.organization.applied_version, bob.organization.applied_at) == (first + 3, noon)
    assert ReachRow.objects.get().tools == ["delete_page"]


def test_an_early_task_of_many_applies_them_all(notion: Connector, bob: Member) -> None:
    bob.organization.refresh_from_db()
    first = bob.organization.version
    block(bob)
    block(bob, "notion.create_page")
    assert reach_report.apply(bob.organization_id, first)
    assert not reach_report.apply(bob.organization_id, first + 1)
    assert not ReachRow.objects.exists()


def test_a_task_for_an_organization_that_is_gone_is_no_error(db: None) -> None:
    apply_reach("00000000-0000-0000-0000-000000000000", 7)


def test_the_sweep_takes_the_organizations_that_are_behind_and_no_others(notion: Connector, bob: Member) -> None:
    other = cast.organization("umbrella")
    sweep_reach()
    assert reach_report.behind() == []
    with transaction.atomic():
        versions.bump(other)
    other.refresh_from_db()
    assert reach_report.behind() == [(other.pk, other.version)]
    sweep_reach()
    assert reach_report.behind() == []


def test_what_a_rule_for_ten_members_costs_is_what_it_costs_for_one(
    notion: Connector, bob: Member, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(10):
        cast.connection(cast.member(bob.organization, f"more{number}"), notion)
    apply(bob.organization)
    kept = set(ReachAudience.objects.values_list("pk")), set(ReachMember.objects.values_list("pk"))
    restrictions.create(
        subject=bob.role, mode=Restriction.Mode.BLOCK, tools=["notion.delete_page"], surface=Surface.SYSTEM
    )
    bob.organization.refresh_from_db()
    with django_assert_max_num_queries(30):
        assert reach_report.apply(bob.organization_id, bob.organization.version)
    assert {tuple(row.tools) for row in ReachRow.objects.all()} == {("create_page",)}
    assert kept == (set(ReachAudience.objects.values_list("pk")), set(ReachMember.objects.values_list("pk")))


@pytest.mark.django_db(transaction=True)
def test_of_two_workers_with_the_same_task_one_writes() -> None:
    world = World(5)
    world.home.refresh_from_db()
    barrier = threading.Barrier(2)
    answers: list[bool] = []

    def work() -> None:
        try:
            barrier.wait(10)
            answers.append(reach_report.apply(world.home.pk, world.home.version))
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(answers) == [False, True]
    assert reported(world.home) == by_pools(world.home)
