"""Reads a remote MCP server's tools again when a call shows that they are not what they were."""

from uuid import UUID

from accesscontrol import audit
from accesscontrol.models import Surface
from connectors.catalog.document import CatalogError
from connectors.models import Connection, Connector
from connectors.reach import works


def refresh(connector_id: UUID) -> None:
    """Imports what the server lists now, as a diff; harmless when it is done twice.

    What is refused stays as it was, and the audit trail says why.
    """
    # A fork takes what it wants from its upstream, and is not read again itself.
    own = Connector.objects.filter(kind=Connector.Kind.MCP, enabled=True, forked_from=None)
    connector = own.filter(pk=connector_id).first()
    if connector is None:
        return
    # The protocol's client takes a quarter of a second to import, and the web process imports this module's task.
    from connectors.catalog.mcp.importing import import_mcp

    try:
        import_mcp(
            organization=connector.organization,
            url=connector.base_url,
            slug=connector.slug,
            label=connector.label,
            surface=Surface.SYSTEM,
            account=account_to_read_as(connector),
        )
    except CatalogError as error:
        audit.record(
            organization=connector.organization,
            action="connector.refresh",
            surface=Surface.SYSTEM,
            outcome="refused",
            target=f"connector:{connector.slug}",
            detail={"reason": str(error)},
        )


def account_to_read_as(connector: Connector) -> Connection | None:
    """The oldest that works, so that one refresh sees the same tools as the next."""
    accounts = Connection.objects.filter(works(), connector=connector)
    return accounts.select_related("connector__organization").order_by("created_at").first()
