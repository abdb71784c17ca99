"""Asks for a remote MCP server's tools to be read again, when a call shows that they are not what they were."""

from functools import partial

from django.core.cache import cache
from django.db import transaction

from accesscontrol import dispatch
from connectors.models import Connector
from connectors.tasks import refresh_catalog

SECONDS_BETWEEN = 60


def ask_for_refresh(connector: Connector) -> None:
    """At most once a minute for each connector, however often its calls ask for it."""
    if cache.add(f"refresh-catalog:{connector.pk}", True, SECONDS_BETWEEN):
        transaction.on_commit(partial(dispatch.start, refresh_catalog, str(connector.pk)))


def ask_for_first_tools(connector: Connector) -> None:
    """Where a server lists its tools to accounts alone, and now there is one."""
    if connector.kind == Connector.Kind.MCP and not connector.tools.exists():
        ask_for_refresh(connector)
