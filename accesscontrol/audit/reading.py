"""Which rows of the trail a member may see, and pages of them from the newest on."""

from datetime import datetime
from uuid import UUID

from django.core import signing
from django.db.models import Q, QuerySet

from accesscontrol.caller import Caller
from accesscontrol.models import AuditEvent
from accesscontrol.pagination import InvalidCursor
from accesscontrol.permissions import Permission

_SALT = "elaichi.audit.cursor"


def visible_to(caller: Caller) -> QuerySet[AuditEvent]:
    """The organization's rows for those who may view the trail, and everybody's own."""
    rows = AuditEvent.objects.of(caller.organization)
    return rows if caller.may(Permission.AUDIT_VIEW) else rows.filter(actor=caller.member)


def newest_first(rows: QuerySet[AuditEvent], *, limit: int, cursor: str) -> tuple[list[AuditEvent], str]:
    """A page, and the cursor of the next one or "". A cursor is a place in time: rows that come later move nothing.

    What may be seen is asked again for each page, so that a cursor opens nothing to whoever holds it. Raises
    InvalidCursor.
    """
    rows = rows.order_by("-at", "-id").select_related("actor__user")
    if cursor:
        at, key = _read(cursor)
        rows = rows.filter(Q(at__lt=at) | Q(at=at, id__lt=key), at__lte=at)
    found = list(rows[: limit + 1])
    if len(found) <= limit:
        return found, ""
    last = found[limit - 1]
    return found[:limit], signing.dumps([last.at.isoformat(), str(last.pk)], salt=_SALT)


def _read(cursor: str) -> tuple[datetime, UUID]:
    try:
        at, key = signing.loads(cursor, salt=_SALT)
        return datetime.fromisoformat(at), UUID(key)
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise InvalidCursor from error
