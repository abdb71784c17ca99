"""Once a day each remote MCP server is read again: no call shows that a server has a tool more than before."""

from datetime import datetime

from connectors.catalog.mcp.staleness import ask_for_refresh
from connectors.models import Connector


def ask_for_due(*, now: datetime) -> int:
    """Asks for those whose hour it is, by their id: spread over the day, and each at the same hour of each.

    Asked for twice, they are read once, and harmlessly twice. How many those are.
    """
    own = Connector.objects.filter(kind=Connector.Kind.MCP, enabled=True, forked_from=None)
    due = [connector for connector in own if connector.pk.int % 24 == now.hour]
    for connector in due:
        ask_for_refresh(connector)
    return len(due)
