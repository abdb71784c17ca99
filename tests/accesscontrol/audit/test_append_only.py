"""The database refuses to change or remove audit rows, through whatever door."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.db import DatabaseError, IntegrityError, ProgrammingError, connection, transaction

from accesscontrol.models import AuditEvent, AuditHead, AuditLink, Member, Organization
from tests.accesscontrol.audit.trail import grown, sql

pytestmark = pytest.mark.django_db(transaction=True)

EVENT, LINK, HEAD = (model._meta.db_table for model in (AuditEvent, AuditLink, AuditHead))


def _save() -> None:
    event = AuditEvent.objects.all()[0]
    event.outcome = "denied"
    event.save()


THROUGH_THE_ORM: list[Callable[[], object]] = [
    _save,
    lambda: AuditEvent.objects.update(outcome="denied"),
    lambda: AuditEvent.objects.all()[0].delete(),
    lambda: AuditEvent.objects.all().delete(),
    lambda: AuditEvent.objects.bulk_update([AuditEvent(pk=AuditEvent.objects.all()[0].pk, target="x")], ["target"]),
    lambda: AuditLink.objects.update(sequence=7),
    lambda: AuditLink.objects.all().delete(),
    lambda: AuditHead.objects.update(sequence=0),
    lambda: AuditHead.objects.all().delete(),
    lambda: AuditHead.objects.create(organization=Organization.objects.create(slug="new"), sequence=9, hash=b""),
]
BY_SQL = [
    f"UPDATE {EVENT} SET outcome = 'denied'",
    f"UPDATE {EVENT} SET at = now() WHERE false",
    f"DELETE FROM {EVENT}",
    f"TRUNCATE {EVENT} CASCADE",
    f"TRUNCATE {LINK}",
    f"TRUNCATE {HEAD}",
    f"INSERT INTO {LINK} (event_id, organization_id, sequence, previous_hash, hash)"
    f" SELECT gen_random_uuid(), organization_id, 99, '', '' FROM {HEAD}",
    f"INSERT INTO {EVENT} SELECT * FROM {EVENT} ON CONFLICT (id) DO UPDATE SET outcome = 'denied'",
    f"MERGE INTO {EVENT} e USING {LINK} l ON e.id = l.event_id WHEN MATCHED THEN DELETE",
    "SET elaichi.audit_prune = 'on'; DELETE FROM accesscontrol_auditevent",
    "SET elaichi.audit_prune = '8c2f1a52-46f0-4b43-9d3f-0f4c8c9b1d11'; DELETE FROM accesscontrol_auditevent",
]


def _everything() -> list[object]:
    return [list(model.objects.order_by("pk").values()) for model in (AuditEvent, AuditLink, AuditHead)]


@pytest.mark.parametrize("change", THROUGH_THE_ORM, ids=range(len(THROUGH_THE_ORM)))
def test_the_orm_cannot_change_the_trail(acme: Organization, change: Callable[[], object]) -> None:
    before = _everything()
    with pytest.raises(IntegrityError, match="audit trail"), transaction.atomic():
        change()
    assert _everything() == before


@pytest.mark.parametrize("statement", BY_SQL)
def test_no_statement_can_change_the_trail(acme: Organization, statement: str) -> None:
    before = _everything()
    with pytest.raises(DatabaseError, match=r"audit trail|type uuid"):
        sql(statement)
    connection.close()  # and with it the setting
    assert _everything() == before


@contextmanager
def as_a_role_that_serves_requests() -> Iterator[None]:
    with transaction.atomic():
        sql("CREATE ROLE audit_test_app")
        sql(f"GRANT SELECT, INSERT ON {EVENT} TO audit_test_app")
        sql("SET LOCAL ROLE audit_test_app")
        yield
        transaction.set_rollback(True)


def test_a_role_that_serves_requests_needs_only_to_read_and_to_add(acme: Organization) -> None:
    """The chain is written by functions that run as their owner."""
    with as_a_role_that_serves_requests():
        grown_row = AuditEvent(organization_id=acme.pk, actor_kind="system", surface="system", action="a", outcome="ok")
        AuditEvent.objects.bulk_create([grown_row])
        sql("SET CONSTRAINTS ALL IMMEDIATE")
        sql("RESET ROLE")
        assert AuditLink.objects.filter(event=grown_row).exists()


@pytest.mark.parametrize("statement", [f"DELETE FROM {EVENT}", f"UPDATE {EVENT} SET outcome = ''", f"TRUNCATE {EVENT}"])
def test_such_a_role_is_refused_before_any_trigger_is(acme: Organization, statement: str) -> None:
    with pytest.raises(ProgrammingError, match="permission denied"), as_a_role_that_serves_requests():
        sql(statement)


def test_an_actor_must_be_of_the_kind_that_is_written(acme: Organization, bob: Member) -> None:
    with pytest.raises(IntegrityError, match="audit_actor_is_of_its_kind"), transaction.atomic():
        AuditEvent.objects.create(
            organization=acme, actor=bob, actor_kind="system", surface="mcp", action="a", outcome="ok"
        )
    grown(acme, 1)


@contextmanager
def shadowed() -> Iterator[None]:
    """Unqualified names lead to temporary tables first, and everybody may make those."""
    with transaction.atomic():
        for table in (EVENT, LINK, HEAD):
            sql(f"CREATE TEMPORARY TABLE {table} ON COMMIT DROP AS SELECT * FROM public.{table}")
        yield


def test_a_temporary_table_of_the_same_name_takes_no_row_out_of_the_chain(acme: Organization) -> None:
    [event] = AuditEvent.objects.all()
    with shadowed():
        sql(f"UPDATE {EVENT} SET id = gen_random_uuid()")
        sql(f"INSERT INTO public.{EVENT} SELECT * FROM {EVENT}")
    assert list(AuditLink.objects.values_list("sequence", flat=True)) == [1, 2]
    assert AuditEvent.objects.exclude(pk=event.pk).get().link.sequence == 2


def test_a_temporary_table_of_the_same_name_permits_no_pruning(acme: Organization) -> None:
    [event] = AuditEvent.objects.all()

    def forge() -> None:
        sql("SELECT set_config('elaichi.audit_prune', %s, true)", str(event.pk))
        sql(f"UPDATE {EVENT} SET action = 'audit.prune', detail = '{{\"through\": 9}}'")
        sql(f"DELETE FROM public.{EVENT}")

    with pytest.raises(IntegrityError, match="audit trail"), shadowed():
        forge()
