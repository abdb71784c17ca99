"""The chain as the database holds it, read in one statement and row by row, so that no trail is too long for it."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from accesscontrol.audit.chain import START, Event, Link, Mark
from accesscontrol.models import Organization

_EVENT = [field.name for field in fields(Event)]
# As text, because the hash is over what PostgreSQL prints.
_COLUMNS = ", ".join(f"e.{name}::text" if name == "detail" else f"e.{name}" for name in _EVENT)
_AT_ONCE = 2000


def head_and_links(organization: Organization) -> tuple[Mark, Iterator[Link]]:
    """Where the chain ends, and every link in its order, as they were at one moment."""
    rows = _rows(
        f"""SELECT h.sequence, h.hash, l.sequence, l.previous_hash, l.hash, l.event_id, {_COLUMNS}
        FROM (SELECT %s::uuid AS organization_id) o
        LEFT JOIN accesscontrol_audithead h USING (organization_id)
        LEFT JOIN accesscontrol_auditlink l USING (organization_id)
        LEFT JOIN accesscontrol_auditevent e ON e.id = l.event_id
        ORDER BY l.sequence""",
        [organization.pk],
    )
    first = next(rows)
    head = Mark(first[0], bytes(first[1])) if first[0] is not None else START
    return head, (_link(row[2:]) for row in _and_then(first, rows) if row[2] is not None)


def without_link(organization: Organization) -> UUID | None:
    """An event that is in no chain, if there is one: it was added while the triggers were off."""
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT e.id FROM accesscontrol_auditevent e WHERE e.organization_id = %s AND NOT EXISTS
                (SELECT FROM accesscontrol_auditlink l WHERE l.event_id = e.id)
            ORDER BY e.at, e.id LIMIT 1""",
            [organization.pk],
        )
        row = cursor.fetchone()
    return row[0] if row else None


def _rows(sql: str, parameters: list[Any]) -> Iterator[tuple[Any, ...]]:
    with transaction.atomic(), connection.chunked_cursor() as cursor:
        cursor.execute(sql, parameters)
        while rows := cursor.fetchmany(_AT_ONCE):
            yield from rows


def _and_then(first: tuple[Any, ...], rest: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    yield first
    yield from rest


def _link(row: tuple[Any, ...]) -> Link:
    sequence, previous_hash, digest, event_id, *values = row
    event = dict(zip(_EVENT, values, strict=True))
    return Link(
        sequence=sequence,
        previous_hash=bytes(previous_hash),
        hash=bytes(digest),
        event_id=event_id,
        event=Event(**event) if event["id"] is not None else None,
    )
