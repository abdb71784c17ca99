"""The operations over connectors and the accounts that reach them."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from django.db.models import Count, Prefetch, Q, QuerySet

from accesscontrol.caller import Caller
from accesscontrol.operation import Operation, registry
from accesscontrol.pagination import SearchedPageInput, page
from accesscontrol.permissions import Permission, Scope
from accesscontrol.policy import ToolRef
from accesscontrol.resolver import Checkpoint, decide
from connectors import account_state
from connectors.grantees import shared_with
from connectors.models import Connection, Connector, Level, Share
from connectors.reach import account_names, connections_within_reach, with_levels


def list_connectors(caller: Caller, asked: SearchedPageInput) -> dict[str, Any]:
    enabled = Count("tools", filter=Q(tools__enabled=True))
    rows = Connector.objects.of(caller.organization).filter(enabled=True).annotate(tool_count=enabled)
    found, more = page(rows, asked, name="connector.list", fields=("label", "slug"))
    return {"connectors": [_connector(row) for row in found if _listed(caller, row)], **more}


def list_connections(caller: Caller, asked: SearchedPageInput) -> dict[str, Any]:
    found, more = page(
        visible_connections(caller),
        asked,
        name="connection.list",
        fields=("label", "remote_account", "connector__label", "connector__slug"),
    )
    return {"connections": describe(caller, found), **more}


def visible_connections(caller: Caller) -> QuerySet[Connection]:
    """Those within the caller's reach, with what `describe` reads of them."""
    rows = connections_within_reach(caller.member, at_least=Level.VIEW)
    rows = with_levels(rows, caller.member).select_related("connector", "owner__user")
    return rows.prefetch_related(Prefetch("shares", Share.objects.select_related("member__user", "team")))


def describe(caller: Caller, connections: Iterable[Connection]) -> list[dict[str, Any]]:
    """Each as this caller may see it; those of a connector that a rule hides from them are left out."""
    names = account_names(caller)
    return [_connection(caller, row, names) for row in connections if _listed(caller, row.connector)]


def _listed(caller: Caller, connector: Connector) -> bool:
    ref = ToolRef(connector=connector.slug, lineage=tuple(connector.lineage))
    return decide(Checkpoint.LIST, caller, ref).allowed


def _connector(connector: Any) -> dict[str, Any]:
    return {"slug": connector.slug, "label": connector.label, "tools": connector.tool_count}


def _connection(caller: Caller, connection: Any, names: Mapping[UUID, str]) -> dict[str, Any]:
    own = connection.owner_id == caller.member.pk
    described = {
        "id": str(connection.pk),
        "connector": connection.connector.slug,
        "connector_label": connection.connector.label,
        "label": names.get(connection.pk, connection.label),
        "remote_account": connection.remote_account,
        "status": connection.status,
        "status_reason": account_state.reason(connection),
        "access": "owner" if own else Level(connection.level).name.lower(),
        "owner": connection.owner.user.email,
    }
    # Whom else it is shared with is for those who could change it.
    return described | ({"shared_with": shared_with(connection)} if connection.level == Level.EDIT else {})


registry.register(
    Operation(
        domain="connector",
        verb="list",
        title="List connectors",
        description="The apps that can be connected here.",
        input=SearchedPageInput,
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
        description="Your accounts and those shared with you, and whether each works.",
        input=SearchedPageInput,
        permission=Permission.CONNECTION_VIEW,
        scope=Scope.READ,
        run=list_connections,
    )
)
