"""The audit trail as JSON lines, row by row in the order of the chain, each with all that its hash is over."""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from uuid import UUID

from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast

from accesscontrol import audit
from accesscontrol.models import AuditEvent, Member, Organization, Surface

_COLUMNS = {
    "sequence": "link__sequence",
    "previous_hash": "link__previous_hash",
    "hash": "link__hash",
    "organization": "organization__slug",
    "organization_id": "organization_id",
    "id": "id",
    "at": "at",
    "actor_kind": "actor_kind",
    "actor_id": "actor_id",
    "actor": "actor__user__email",
    "operator_id": "operator_id",
    "surface": "surface",
    "client": "client",
    "action": "action",
    "target": "target",
    "connection": "connection",
    "outcome": "outcome",
    "duration_ms": "duration_ms",
    "request_id": "request_id",
}
_AT_ONCE = 2000


def lines(events: QuerySet[AuditEvent]) -> Iterator[str]:
    """One JSON object per event, each with its line end; from a cursor on the server, so in constant memory.

    `detail` stands last, exactly as PostgreSQL prints it, which is how the hash takes it.
    """
    rows = (
        events.order_by("organization__slug", "link__sequence")
        .annotate(detail_text=Cast("detail", TextField()))
        .values_list(*_COLUMNS.values(), "detail_text")
    )
    for *values, detail in rows.iterator(_AT_ONCE):
        row = json.dumps(dict(zip(_COLUMNS, values, strict=True)), default=_plain, ensure_ascii=False)
        yield f'{row[:-1]}, "detail": {detail}}}\n'


def between(events: QuerySet[AuditEvent], since: datetime | None, until: datetime | None) -> QuerySet[AuditEvent]:
    """`since` is in it, `until` is not."""
    if since is not None:
        events = events.filter(at__gte=since)
    return events if until is None else events.filter(at__lt=until)


def record_export(organizations: Iterable[Organization], *, surface: Surface, actor: Member | None = None) -> None:
    """That somebody took the trail elsewhere is itself in the trail of each organization."""
    for organization in organizations:
        audit.record(organization=organization, action="audit.export", surface=surface, outcome="ok", actor=actor)


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    assert isinstance(value, UUID)
    return str(value)
