"""Reads a remote MCP server's tools again when a call shows that they are not what they were."""

from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from accesscontrol import audit
from accesscontrol.models import Organization, Surface
from connectors.catalog.document import Catalog, CatalogError
from connectors.catalog.importer import import_catalog
from connectors.models import Connection, Connector
from connectors.reach import works_for_its_owner


def refresh(connector_id: UUID) -> None:
    """Imports what the server lists now, as a diff; harmless when it is done twice.

    What is refused stays as it was, and the audit trail says why.
    """
    connector = _refreshed().filter(pk=connector_id).first()
    if connector is None:
        return
    # The protocol's client takes a quarter of a second to import, and the web process imports this module's task.
    from connectors.catalog.mcp.importing import read_server

    account = account_to_read_as(connector)
    url, slug = connector.base_url, connector.slug
    try:
        _store(connector, read_server(organization=connector.organization, url=url, slug=slug, account=account))
    except CatalogError as error:
        audit.record(
            organization=connector.organization,
            action="connector.refresh",
            surface=Surface.SYSTEM,
            outcome="refused",
            target=f"connector:{connector.slug}",
            detail={"reason": str(error)},
        )


def _refreshed() -> QuerySet[Connector]:
    """A fork takes what it wants from its upstream, and is not read again itself."""
    return Connector.objects.filter(kind=Connector.Kind.MCP, enabled=True, forked_from=None)


@transaction.atomic
def _store(read: Connector, catalog: Catalog) -> None:
    """What was read at an address that the connector has left meanwhile is dropped: nothing may lead it back there."""
    Organization.objects.select_for_update(no_key=True).get(pk=read.organization_id)
    connector = _refreshed().filter(pk=read.pk, base_url=read.base_url).select_related("organization").first()
    if connector is not None:
        import_catalog(
            organization=connector.organization,
            catalog=catalog,
            slug=connector.slug,
            label=connector.label,
            surface=Surface.SYSTEM,
        )


def account_to_read_as(connector: Connector) -> Connection | None:
    """The oldest that works, so that one refresh sees the same tools as the next."""
    accounts = Connection.objects.filter(works_for_its_owner(), connector=connector)
    return accounts.select_related("connector__organization").order_by("created_at").first()
