"""Keeping the reach report in step with the organization: written by the tasks, read by administrators."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, models, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from accesscontrol.models import Organization
from accesscontrol.models.restriction import split_tool
from search.models import ReachAllowance, ReachAudience, ReachConnection, ReachMember, ReachPin, ReachRow, ReachTools
from search.reach import Picture, picture_of

_BATCH = 5_000
_LONGEST_WAIT = 30
_CONNECTION = ("connection", "connector", "label", "owner", "audience")
_PIN = ("connection", "connector", "label", "owner", "toolbox_id", "toolbox", "tools", "audience")


@transaction.atomic
def apply(organization_id: UUID, version: int, *, now: datetime | None = None) -> bool:
    """Brings the report to the organization's present version; false where it shows `version` or a later one already.

    Being asked twice, late or out of order does no harm. One at a time for each organization: whoever waited here looks
    again at what the one before has written. No lock on the organization's own row is held while it works, so that
    changes go on meanwhile; what commits in between is on its way with a version of its own, and until then the report
    does not call itself applied.
    """
    _wait_for_turn(organization_id)
    organization = Organization.objects.filter(pk=organization_id).first()
    if organization is None or organization.applied_version >= version:
        return False
    _write(organization, picture_of(organization))
    Organization.objects.filter(pk=organization_id).update(
        applied_version=organization.version, applied_at=now or timezone.now()
    )
    return True


def behind() -> list[tuple[UUID, int]]:
    """The organizations whose report is not that of their version, with that version."""
    rows = Organization.objects.filter(applied_version__lt=F("version")).order_by("applied_at")
    return list(rows.values_list("pk", "version"))


def reaching(rows: QuerySet[ReachRow], tool: str) -> QuerySet[ReachRow]:
    """Those rows that hold the tool, given as `connector.tool_name`."""
    connector, name = split_tool(tool.strip())
    return rows.filter(connector=connector, tools__contains=[name])


def _wait_for_turn(organization_id: UUID) -> None:
    """Raises OperationalError where another takes longer than any should; the next sweep tries again."""
    number = int.from_bytes(organization_id.bytes[:8], signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = %s", [f"{_LONGEST_WAIT}s"])
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [number])


def _write(organization: Organization, picture: Picture) -> None:
    _sync(ReachAllowance, organization, ("group", "tools"), picture.allowances)
    _sync(ReachMember, organization, ("member_id", "group"), picture.members)
    _sync(ReachAudience, organization, ("audience", "member_id"), picture.audiences)
    _sync(ReachConnection, organization, _CONNECTION, picture.connections)
    _sync(ReachPin, organization, _PIN, picture.pins)
    _sync_tools(organization, picture)


def _sync(
    model: type[models.Model], organization: Organization, fields: tuple[str, ...], wanted: frozenset[Any]
) -> None:
    """Makes the table hold these rows for the organization, and touches only what differs."""
    rows = model._default_manager.filter(organization=organization)
    # Sets remember the hashes of what they hold, and so does a dictionary: each row is hashed once.
    held = {row[1:]: row[0] for row in rows.values_list("pk", *fields)}
    known = frozenset(held)
    rows.filter(pk__in=[held[values] for values in known - wanted]).delete()
    new = (model(organization=organization, **dict(zip(fields, values, strict=True))) for values in wanted - known)
    model._default_manager.bulk_create(new, batch_size=_BATCH)


def _sync_tools(organization: Organization, picture: Picture) -> None:
    rows = ReachTools.objects.of(organization)
    held = set(rows.values_list("pk", flat=True))
    rows.filter(pk__in=held - picture.tools.keys()).delete()
    ReachTools.objects.bulk_create(
        (
            ReachTools(id=key, organization=organization, connector=connector, tools=list(names))
            for key, (connector, names) in picture.tools.items()
            if key not in held
        ),
        batch_size=_BATCH,
    )
