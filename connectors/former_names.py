"""Names that tools were advertised by before their product renamed them: understood for a while, then let go."""

from collections.abc import Mapping
from datetime import datetime
from uuid import UUID

from connectors.curation.names import advertised_name
from connectors.models import ToolAlias


def renamed_tool(name: str, connectors: Mapping[UUID, str], *, now: datetime) -> tuple[UUID, str] | None:
    """Connector and present name of the one tool of these connectors (slug by id) that was advertised as `name`.

    None where no tool was, or tools of several connectors: then nobody can tell which was meant.
    """
    live = ToolAlias.objects.filter(connector__in=connectors, expires_at__gt=now)
    rows = live.values_list("connector", "name", "tool__name")
    meant = {(pk, tool) for pk, former, tool in rows if advertised_name(connectors[pk], former) == name}
    return meant.pop() if len(meant) == 1 else None


def forget(*, now: datetime) -> int:
    """Deletes the aliases that have expired, in every organization; how many those were."""
    deleted, _ = ToolAlias.objects.filter(expires_at__lte=now).delete()
    return deleted
