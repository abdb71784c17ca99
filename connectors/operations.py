"""The operations over connectors and the accounts that reach them."""

from typing import Any

from django.db.models import Count, Q

from accesscontrol.caller import Caller
from accesscontrol.operation import Operation, registry
from accesscontrol.pagination import PageInput, page
from accesscontrol.permissions import Permission, Scope
from accesscontrol.policy import ToolRef
from accesscontrol.resolver import Checkpoint, decide
from connectors.models import Connection, Connector


def list_connectors(caller: Caller, asked: PageInput) -> dict[str, Any]:
    enabled = Count("tools", filter=Q(tools__enabled=True))
    rows = Connector.objects.of(caller.organization).filter(enabled=True).annotate(tool_count=enabled)
    found, more = page(rows, asked, name="connector.list")
    return {"connectors": [_connector(row) for row in found if _listed(caller, row)], **more}


def list_connections(caller: Caller, asked: PageInput) -> dict[str, Any]:
    rows = Connection.objects.of(caller.organization).filter(owner=caller.member).select_related("connector")
    found, more = page(rows, asked, name="connection.list")
    return {"connections": [_connection(row) for row in found if _listed(caller, row.connector)], **more}


def _listed(caller: Caller, connector: Connector) -> bool:
    ref = ToolRef(connector=connector.slug, lineage=tuple(connector.lineage))
    return decide(Checkpoint.LIST, caller, ref).allowed


def _connector(connector: Any) -> dict[str, Any]:
    return {"slug": connector.slug, "label": connector.label, "tools": connector.tool_count}


def _connection(connection: Connection) -> dict[str, Any]:
    return {
        "id": str(connection.pk),
        "connector": connection.connector.slug,
        "connector_label": connection.connector.label,
        "label": connection.label,
        "remote_account": connection.remote_account,
        "status": connection.status,
        "status_reason": connection.status_reason,
    }


registry.register(
    Operation(
        domain="connector",
        verb="list",
        title="List connectors",
        description="The products that can be connected here and how many tools each has.",
        input=PageInput,
        permission=Permission.CONNECTOR_VIEW,
        scope=Scope.READ,
        run=list_connectors,
    )
)
registry.register(
    Operation(
        domain="connection",
        verb="list",
        title="List my connections",
        description="Your own accounts at connected products, and whether each one works.",
        input=PageInput,
        permission=Permission.CONNECTION_VIEW,
        scope=Scope.READ,
        run=list_connections,
    )
)
