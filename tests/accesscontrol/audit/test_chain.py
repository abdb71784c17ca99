"""Every row that is added joins its organization's chain, and what was tampered with is named."""

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from accesscontrol.audit.chain import Break, Mark
from accesscontrol.audit.verifying import verify
from accesscontrol.models import AuditEvent, AuditHead, AuditLink, Member, Organization
from tests import cast
from tests.accesscontrol.audit.trail import as_superuser_without_triggers, grown, place_of, sql

pytestmark = pytest.mark.django_db(transaction=True)

EVENT, LINK, HEAD = (model._meta.db_table for model in (AuditEvent, AuditLink, AuditHead))


def sequences(organization: Organization) -> list[int]:
    return list(AuditLink.objects.of(organization).values_list("sequence", flat=True))


def is_gapless(organization: Organization) -> bool:
    rows = AuditEvent.objects.of(organization).count()
    return sequences(organization) == list(range(1, rows + 1)) and verify(organization).problem is None


def test_an_untouched_trail_is_whole_whatever_stands_in_it(acme: Organization) -> None:
    grown(acme)
    assert is_gapless(acme)


def test_rows_added_in_bulk_and_by_sql_are_chained_too(acme: Organization) -> None:
    def row(number: int) -> AuditEvent:
        return AuditEvent(organization=acme, actor_kind="system", surface="api", action=f"a{number}", outcome="ok")

    AuditEvent.objects.bulk_create(row(number) for number in range(300))
    sql(
        f"""INSERT INTO {EVENT} (id, organization_id, at, actor_kind, surface, client, action, target, connection,
            outcome, request_id, detail)
        SELECT gen_random_uuid(), %s, now(), 'system', 'mcp', '', 'raw', '', '', 'ok', '', '{{"b": 1.50, "aa": null}}'
        FROM generate_series(1, 20)""",
        acme.pk,
    )
    assert is_gapless(acme)
    assert verify(acme).head.sequence == AuditEvent.objects.of(acme).count()


def test_a_row_that_is_rolled_back_leaves_no_gap(acme: Organization) -> None:
    with transaction.atomic():
        grown(acme, 2)
        transaction.set_rollback(True)
    with transaction.atomic():
        grown(acme, 1)
        with transaction.atomic():
            grown(acme, 1)
            transaction.set_rollback(True)
        grown(acme, 1)
    assert is_gapless(acme)


def test_recording_early_in_a_transaction_keeps_nobody_waiting(acme: Organization) -> None:
    recorded, committed = threading.Event(), threading.Event()

    def long_transaction() -> None:
        with transaction.atomic():
            grown(acme, 1)
            recorded.set()
            assert committed.wait(10)

    thread = threading.Thread(target=_on_its_own_connection(long_transaction))
    thread.start()
    assert recorded.wait(10)
    grown(acme, 1)
    committed.set()
    thread.join(10)
    assert is_gapless(acme)


def test_recording_before_another_lock_is_taken_ends_in_no_deadlock(acme: Organization, bob: Member) -> None:
    """One records and then locks the member, the other the other way round, as services do that call one another."""
    recorded, locked = threading.Event(), threading.Event()

    def record_then_lock() -> None:
        with transaction.atomic():
            grown(acme, 1)
            recorded.set()
            assert locked.wait(10)
            Member.objects.select_for_update(no_key=True).get(pk=bob.pk)

    thread = threading.Thread(target=_on_its_own_connection(record_then_lock))
    thread.start()
    with transaction.atomic():
        Member.objects.select_for_update(no_key=True).get(pk=bob.pk)
        assert recorded.wait(10)
        locked.set()
        grown(acme, 1)
    thread.join(10)
    assert AuditEvent.objects.filter(action="test.grow").count() == 2
    assert is_gapless(acme)


def test_many_writers_make_a_gapless_chain_of_each_organization(acme: Organization) -> None:
    organizations = [acme, cast.organization("umbrella")]
    barrier = threading.Barrier(8)
    before = sum(len(sequences(organization)) for organization in organizations)

    def write(number: int) -> None:
        barrier.wait(10)
        for _ in range(50):
            grown(organizations[number % 2], 1)

    threads = [threading.Thread(target=_on_its_own_connection(partial(write, n))) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert all(map(is_gapless, organizations))
    assert sum(len(sequences(organization)) for organization in organizations) == before + 8 * 50


def _on_its_own_connection(action: Callable[[], object]) -> Callable[[], None]:
    def run() -> None:
        try:
            action()
        finally:
            connection.close()

    return run


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("outcome", "ok!"),
        ("target", "another"),
        ("client", "x"),
        ("action", "test.other"),
        ("connection", "x"),
        ("request_id", "x"),
        ("duration_ms", 1),
        ("surface", "mcp"),
        ("actor_kind", "operator"),
        ("at", timezone.now()),
        ("detail", '{"names": []}'),
        ("detail", "{}"),
    ],
)
def test_a_row_that_was_altered_is_named(acme: Organization, column: str, value: Any) -> None:
    event = grown(acme)[2]
    with as_superuser_without_triggers():
        sql(f"UPDATE {EVENT} SET {column} = %s WHERE id = %s", value, event.pk)
    problem = verify(acme).problem
    assert problem is not None
    assert (problem.kind, problem.sequence, problem.event_id) == (Break.ALTERED, place_of(event), event.pk)


def test_a_row_altered_along_with_its_hash_is_found_by_the_next(acme: Organization) -> None:
    event = grown(acme)[2]
    with as_superuser_without_triggers():
        sql(f"UPDATE {EVENT} SET outcome = 'denied' WHERE id = %s", event.pk)
        _rehash(event)
    problem = verify(acme).problem
    assert problem is not None
    assert (problem.kind, problem.sequence) == (Break.REWRITTEN, place_of(event) + 1)


def test_the_last_row_altered_along_with_its_hash_is_found_by_the_head(acme: Organization) -> None:
    event = grown(acme)[-1]
    with as_superuser_without_triggers():
        sql(f"UPDATE {EVENT} SET outcome = 'denied' WHERE id = %s", event.pk)
        _rehash(event)
    problem = verify(acme).problem
    assert problem is not None
    assert (problem.kind, problem.sequence) == (Break.REWRITTEN, place_of(event))


def _rehash(event: AuditEvent) -> None:
    sql(
        f"""UPDATE {LINK} l SET hash = accesscontrol_audit_hash(e, l.sequence, l.previous_hash)
        FROM {EVENT} e WHERE e.id = l.event_id AND e.id = %s""",
        event.pk,
    )


def test_a_row_that_was_removed_is_named(acme: Organization) -> None:
    event = grown(acme)[2]
    place = place_of(event)
    with as_superuser_without_triggers():
        sql(f"DELETE FROM {EVENT} WHERE id = %s", event.pk)
    problem = verify(acme).problem
    assert problem is not None
    assert (problem.kind, problem.sequence, problem.event_id) == (Break.REMOVED, place, event.pk)
    with as_superuser_without_triggers():
        sql(f"DELETE FROM {LINK} WHERE event_id = %s", event.pk)
    problem = verify(acme).problem
    assert problem is not None
    assert (problem.kind, problem.sequence) == (Break.REMOVED, place)


def test_a_beginning_that_was_removed_is_named(acme: Organization) -> None:
    grown(acme)
    with as_superuser_without_triggers():
        sql(f"DELETE FROM {EVENT} e USING {LINK} l WHERE e.id = l.event_id AND l.sequence <= 3")
        sql(f"DELETE FROM {LINK} WHERE sequence <= 3")
    problem = verify(acme).problem
    assert problem is not None
    assert (problem.kind, problem.sequence) == (Break.REMOVED, 1)


@pytest.mark.parametrize("grows_on", [False, True])
def test_an_end_that_was_cut_off_is_found_even_after_the_trail_grew_on(acme: Organization, grows_on: bool) -> None:
    last = grown(acme)[-1]
    place = place_of(last)
    with as_superuser_without_triggers():
        sql(f"DELETE FROM {EVENT} WHERE id = %s", last.pk)
        sql(f"DELETE FROM {LINK} WHERE event_id = %s", last.pk)
    if grows_on:
        grown(acme, 3)
    problem = verify(acme).problem
    assert problem is not None
    assert (problem.kind, problem.sequence) == (Break.REMOVED if grows_on else Break.CUT_OFF, place)


def test_a_trail_that_was_removed_altogether_is_found(acme: Organization) -> None:
    with as_superuser_without_triggers():
        sql(f"TRUNCATE {EVENT}, {LINK}")
    problem = verify(acme).problem
    assert problem is not None
    assert problem.kind == Break.CUT_OFF


def test_a_head_that_was_removed_is_found(acme: Organization) -> None:
    grown(acme)
    with as_superuser_without_triggers():
        sql(f"DELETE FROM {HEAD}")
    assert verify(acme).problem is not None


def test_a_row_put_in_without_a_link_is_named(acme: Organization) -> None:
    with as_superuser_without_triggers():
        [event] = grown(acme, 1)
    problem = verify(acme).problem
    assert problem is not None
    assert (problem.kind, problem.event_id) == (Break.INSERTED, event.pk)


def test_a_row_put_in_between_is_found(acme: Organization) -> None:
    events = grown(acme)
    place = place_of(events[2])
    with as_superuser_without_triggers():
        [event] = grown(acme, 1)
        sql(f"UPDATE {LINK} SET sequence = sequence + 100 WHERE sequence >= %s", place)
        sql(f"UPDATE {LINK} SET sequence = sequence - 99 WHERE sequence >= %s", place + 100)
        sql(
            f"""INSERT INTO {LINK} (event_id, organization_id, sequence, previous_hash, hash)
            SELECT e.id, e.organization_id, l.sequence + 1, l.hash,
                accesscontrol_audit_hash(e, l.sequence + 1, l.hash)
            FROM {EVENT} e, {LINK} l WHERE e.id = %s AND l.sequence = %s""",
            event.pk,
            place - 1,
        )
        sql(f"UPDATE {HEAD} SET sequence = sequence + 1")
    problem = verify(acme).problem
    assert problem is not None
    assert (problem.kind, problem.sequence) == (Break.REWRITTEN, place + 1)


def test_two_rows_that_changed_places_are_found(acme: Organization) -> None:
    first, second = grown(acme)[1:3]
    place = place_of(first)
    with as_superuser_without_triggers():
        sql(f"UPDATE {LINK} SET sequence = 1000 WHERE event_id = %s", first.pk)
        sql(f"UPDATE {LINK} SET sequence = %s WHERE event_id = %s", place, second.pk)
        sql(f"UPDATE {LINK} SET sequence = %s WHERE event_id = %s", place + 1, first.pk)
    problem = verify(acme).problem
    assert problem is not None
    assert (problem.kind, problem.sequence) == (Break.REWRITTEN, place)


def test_a_chain_rewritten_as_a_whole_is_found_by_a_head_that_was_noted(acme: Organization) -> None:
    """The chain has no key, so whoever rules the database can make another: what was noted elsewhere shows it."""
    grown(acme)
    noted = verify(acme).head
    grown(acme)
    assert verify(acme, noted=noted).problem is None
    with as_superuser_without_triggers():
        sql(f"UPDATE {EVENT} SET outcome = 'denied'")
        head = bytes(32)
        for link in AuditLink.objects.of(acme).select_related("event"):
            sql(f"UPDATE {LINK} SET previous_hash = %s WHERE event_id = %s", head, link.pk)
            _rehash(link.event)
            head = bytes(AuditLink.objects.get(pk=link.pk).hash)
        sql(f"UPDATE {HEAD} SET hash = %s", head)
    assert verify(acme).problem is None
    problem = verify(acme, noted=noted).problem
    assert problem is not None
    assert (problem.kind, problem.sequence) == (Break.REWRITTEN, noted.sequence)
    problem = verify(acme, noted=Mark(1000, bytes(32))).problem
    assert problem is not None
    assert problem.kind == Break.CUT_OFF


def test_another_organization_s_trail_is_not_touched_by_what_happens_to_one(acme: Organization) -> None:
    umbrella = cast.organization("umbrella")
    grown(umbrella)
    with as_superuser_without_triggers():
        sql(f"UPDATE {EVENT} SET outcome = 'denied' WHERE organization_id = %s", acme.pk)
    assert verify(acme).problem is not None
    assert verify(umbrella).problem is None
