"""Ending what is old: rows before a date go, and the event that says so holds the end of what went."""

from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from accesscontrol.audit.chain import Mark
from accesscontrol.audit.recording import record
from accesscontrol.exceptions import Conflict
from accesscontrol.models import AuditEvent, AuditLink, Organization, Surface

ACTION = "audit.prune"


@transaction.atomic
def prune(*, organization: Organization, before: datetime, surface: Surface) -> int:
    """Deletes the oldest rows, up to the first that is not older than `before`; returns how many.

    Records itself first: the trigger lets go only of rows that this event names, in its transaction. Two prunings of
    one organization wait for each other, or the second would name rows that the first has taken. Raises Conflict for
    a date to come. The caller has verified the chain: what is pruned can be proved no more.
    """
    if before > timezone.now():
        raise Conflict("Rows can be pruned up to a moment that has passed.")
    _wait_for_others(organization)
    last = _last_before(organization, before)
    if last is None:
        return 0
    count = AuditLink.objects.of(organization).filter(sequence__lte=last.sequence).count()
    event = record(
        organization=organization,
        action=ACTION,
        surface=surface,
        outcome="ok",
        detail={"before": before.isoformat(), "through": last.sequence, "hash": last.hash.hex(), "rows": count},
    )
    _delete(organization, last.sequence, event)
    return count


def anchor_before(organization: Organization, sequence: int) -> Mark | None:
    """The end of what was pruned, where that is the row just before this one."""
    events = AuditEvent.objects.of(organization).filter(action=ACTION, detail__through=sequence - 1)
    for detail in events.values_list("detail", flat=True):
        return Mark(int(detail["through"]), bytes.fromhex(str(detail["hash"])))
    return None


def _last_before(organization: Organization, before: datetime) -> Mark | None:
    """The last row before the first that is to stay: rows are in the order of their commits, nearly that of time."""
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT sequence, hash FROM accesscontrol_auditlink WHERE organization_id = %s AND sequence < COALESCE(
                (SELECT l.sequence FROM accesscontrol_auditlink l WHERE l.organization_id = %s
                    AND (SELECT e.at FROM accesscontrol_auditevent e WHERE e.id = l.event_id) >= %s
                    ORDER BY l.sequence LIMIT 1), 9223372036854775807)
            ORDER BY sequence DESC LIMIT 1""",
            [organization.pk, organization.pk, before],
        )
        row = cursor.fetchone()
    return Mark(row[0], bytes(row[1])) if row else None


def _wait_for_others(organization: Organization) -> None:
    _execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"{ACTION}:{organization.pk}"])


def _delete(organization: Organization, through: int, event: AuditEvent) -> None:
    _execute("SELECT set_config('elaichi.audit_prune', %s, true)", [str(event.pk)])
    # By the key alone: a planner that knows little of this organization yet must find no other way to each row.
    _execute(
        """DELETE FROM accesscontrol_auditevent WHERE id IN
            (SELECT event_id FROM accesscontrol_auditlink WHERE organization_id = %s AND sequence <= %s)""",
        [organization.pk, through],
    )
    _execute(
        "DELETE FROM accesscontrol_auditlink WHERE organization_id = %s AND sequence <= %s", [organization.pk, through]
    )
    _execute("SELECT set_config('elaichi.audit_prune', '', true)", [])


def _execute(sql: str, parameters: list[Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
