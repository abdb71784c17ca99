"""What a member's active connections lead to, read in as few queries as the question needs.

Tools are kept per connector and catalog version, so a new connection or a changed rule re-reads none of them; what a
member has connected is read once per version of the organization.
"""

from dataclasses import dataclass
from uuid import UUID

from accesscontrol.caller import Caller
from accesscontrol.policy import ToolRef
from accesscontrol.resolver import Checkpoint, decide
from accesscontrol.versioned_cache import VersionedCache
from connectors.curation.advertised import Account, ToolEntry
from connectors.curation.merging import argument_for
from connectors.curation.names import advertised_name
from connectors.models import Connection, Connector, Tool


@dataclass(frozen=True, kw_only=True)
class ConnectedProduct:
    """A connector that the member has active accounts at."""

    connector_id: UUID
    catalog_version: int
    slug: str
    label: str
    accounts: tuple[Account, ...]
    tools: tuple[ToolEntry, ...]


_tools: VersionedCache[tuple[ToolEntry, ...]] = VersionedCache(size=2_000)


def connected_products(caller: Caller) -> tuple[ConnectedProduct, ...]:
    """Every enabled connector at which the member has an active connection, by label; not yet filtered by policy."""
    rows = (
        Connection.objects.of(caller.organization)
        .filter(owner=caller.member, status=Connection.Status.ACTIVE, connector__enabled=True)
        .select_related("connector")
        .defer("credential")
        .order_by("connector__label", "connector__slug", "label", "pk")
    )
    by_connector: dict[UUID, tuple[Connector, list[Account]]] = {}
    for row in rows:
        _, accounts = by_connector.setdefault(row.connector_id, (row.connector, []))
        accounts.append(Account(connection_id=row.pk, label=row.label))
    return tuple(_product(connector, accounts) for connector, accounts in by_connector.values())


def connectable_apps(caller: Caller) -> list[tuple[str, tuple[str, ...]]]:
    """Label and aliases of every connector that the caller has or could connect; none that a rule hides from them."""
    rows = Connector.objects.of(caller.organization).filter(enabled=True)
    return [
        (label, tuple(aliases))
        for slug, label, aliases, lineage in rows.values_list("slug", "label", "aliases", "lineage")
        if decide(Checkpoint.CONNECT, caller, ToolRef(connector=slug, lineage=tuple(lineage))).allowed
    ]


def _product(connector: Connector, accounts: list[Account]) -> ConnectedProduct:
    return ConnectedProduct(
        connector_id=connector.pk,
        catalog_version=connector.catalog_version,
        slug=connector.slug,
        label=connector.label,
        accounts=tuple(accounts),
        tools=_tools.get(connector.pk, connector.catalog_version, lambda: _read_tools(connector)),
    )


def _read_tools(connector: Connector) -> tuple[ToolEntry, ...]:
    rows = Tool.objects.filter(connector=connector, enabled=True).order_by("name")
    return tuple(_entry(connector, tool) for tool in rows.iterator())


def _entry(connector: Connector, tool: Tool) -> ToolEntry:
    return ToolEntry(
        tool_id=tool.pk,
        ref=ToolRef(connector=connector.slug, lineage=tuple(connector.lineage), tool=tool.name),
        advertised_name=advertised_name(connector.slug, tool.name),
        description=tool.description,
        parameters=tuple(tool.input_schema.get("properties", ())),
        connection_argument=argument_for(tool.input_schema),
        annotations=tool.annotations,
    )
