"""The operation over the audit trail."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import AwareDatetime, BeforeValidator, Field

from accesscontrol.audit import reading
from accesscontrol.caller import Caller
from accesscontrol.models import AuditEvent
from accesscontrol.operation import Operation, registry
from accesscontrol.pagination import PageInput
from accesscontrol.permissions import Permission, Scope


def _read(given: object) -> object:
    """Arguments are checked strictly, which takes no text for a date; what cannot be read is left for the check."""
    try:
        return datetime.fromisoformat(given) if isinstance(given, str) else given
    except ValueError:
        return given


class AuditListInput(PageInput):
    action: str = Field(default="", max_length=60)
    outcome: str = Field(default="", max_length=40)
    member: str = Field(default="", max_length=254)
    since: Annotated[AwareDatetime, BeforeValidator(_read)] | None = None


def list_events(caller: Caller, asked: AuditListInput) -> dict[str, Any]:
    rows = reading.visible_to(caller)
    if asked.action:
        rows = rows.filter(action=asked.action)
    if asked.outcome:
        rows = rows.filter(outcome=asked.outcome)
    if asked.member:
        rows = rows.filter(actor__user__email=asked.member.lower())
    if asked.since:
        rows = rows.filter(at__gte=asked.since)
    found, cursor = reading.newest_first(rows, limit=asked.limit, cursor=asked.cursor)
    return {"events": [_event(event) for event in found], **({"next_cursor": cursor} if cursor else {})}


def _event(event: AuditEvent) -> dict[str, Any]:
    return {
        "id": str(event.pk),
        "at": event.at.isoformat(),
        "actor": event.actor.user.email if event.actor else "",
        "actor_kind": event.actor_kind,
        "surface": event.surface,
        "client": event.client,
        "action": event.action,
        "target": event.target,
        "connection": event.connection,
        "outcome": event.outcome,
        "duration_ms": event.duration_ms,
        "request_id": event.request_id,
        "detail": event.detail,
    }


registry.register(
    Operation(
        domain="audit",
        verb="list",
        title="List the audit trail",
        description="What happened, newest first: by you, or with audit:view by everybody.",
        input=AuditListInput,
        # Which rows are shown is decided by `visible_to`; every role can look at its own.
        permission=Permission.ORGANIZATION_VIEW,
        scope=Scope.READ,
        run=list_events,
    )
)
