"""The query log: what was searched for, and which of the tools found was then called.

Queries are words that people wrote. So nothing is kept unless the organization says so (`logs_queries`, off by
default), nothing for longer than RETENTION, and none of it reaches the audit trail or an export. Whether an
organization logs came with the caller's grant: where it does not, a search and a call cost no query more.
"""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import Subquery
from django.utils import timezone

from accesscontrol.caller import Caller
from search.models import LoggedQuery
from search.models.query_log import QUERY_LENGTH

RETENTION = timedelta(days=90)
CHOSEN_WITHIN = timedelta(minutes=10)
"""A call that comes later is hardly what the search was for."""


def note_search(caller: Caller, query: str, found: dict[str, Any]) -> None:
    """Keeps one search, a further page of one too; `found` is what `search_tools` returned."""
    if not caller.organization.logs_queries:
        return
    LoggedQuery.objects.create(
        organization=caller.organization,
        member=caller.member,
        query=query.replace("\0", " ")[:QUERY_LENGTH],
        matched=found["matched"],
        returned=[row["name"] for row in found["result"] if "restricted" not in row],
    )


def note_choice(caller: Caller, name: str, *, now: datetime | None = None) -> None:
    """Marks the caller's newest recent search that returned this tool, unless another was called after it first."""
    if not (name and caller.organization.logs_queries):
        return
    since = (now or timezone.now()) - CHOSEN_WITHIN
    newest = LoggedQuery.objects.of(caller.organization).filter(
        member=caller.member, at__gte=since, returned__contains=[name]
    )
    LoggedQuery.objects.filter(pk=Subquery(newest.order_by("-at", "-pk").values("pk")[:1]), chosen="").update(
        chosen=name
    )


def forget(*, now: datetime | None = None) -> int:
    """Deletes what is older than RETENTION, in every organization, in one statement; how many rows that were."""
    deleted, _ = LoggedQuery.objects.filter(at__lt=(now or timezone.now()) - RETENTION).delete()
    return deleted
