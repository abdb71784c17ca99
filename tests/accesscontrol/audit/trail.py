"""Rows of a trail, and the hands of somebody who may do anything to the database."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction

from accesscontrol import audit
from accesscontrol.models import AuditEvent, AuditLink, Organization, Surface


def grown(organization: Organization, rows: int = 5, *, action: str = "test.grow") -> list[AuditEvent]:
    """Rows that are added in a transaction each."""
    return [
        audit.record(
            organization=organization,
            action=action,
            surface=Surface.SYSTEM,
            outcome="ok",
            target=f"row {number}",
            detail={"größe": number, "names": ["Zoë", 'a "quoted" \\ one', "two\nlines"]},
        )
        for number in range(rows)
    ]


def place_of(event: AuditEvent) -> int:
    return AuditLink.objects.get(event=event).sequence


def sql(statement: str, *parameters: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)


@contextmanager
def as_superuser_without_triggers() -> Iterator[None]:
    with transaction.atomic():
        sql("SET LOCAL session_replication_role = replica")
        yield
