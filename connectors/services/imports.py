"""Importing a catalog in two steps: its effect is shown first, and what was shown is what happens."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from django.db import transaction

from accesscontrol.exceptions import Conflict
from accesscontrol.models import Member, Organization, Surface, User
from accesscontrol.permissions import Permission
from accesscontrol.services import authority
from connectors.catalog.document import Catalog, CatalogError
from connectors.catalog.importer import ImportReport, import_catalog
from connectors.catalog.kept import from_json, to_json
from connectors.catalog.reading import read_catalogs
from connectors.catalog.sources import url_to_read_again
from connectors.models import Connector, PendingImport

KEPT = timedelta(hours=1)


@dataclass(frozen=True, kw_only=True)
class Source:
    """A document as it came: from a file of this name, or from this URL."""

    location: str
    content: bytes


def propose(
    *,
    organization: Organization,
    user: User,
    sources: Sequence[Source],
    slug: str,
    label: str,
    base_url: str,
    now: datetime,
) -> tuple[PendingImport, ImportReport]:
    """Keeps the documents for this user, for an hour, with what importing them would do. Raises CatalogError.

    An empty slug or label is taken from the documents, where they are ours and say it.
    """
    pending = PendingImport(
        organization=organization,
        user=user,
        slug=slug,
        label=label,
        base_url=base_url,
        sources=[source.location for source in sources],
        documents=[source.content for source in sources],
    )
    return _proposed(pending, now)


def propose_server(
    *, organization: Organization, user: User, url: str, key_header: str, slug: str, label: str, now: datetime
) -> tuple[PendingImport, ImportReport]:
    """The same of a remote MCP server, read as an account of its connector sees it where there is one.

    Raises CatalogError. Not atomic: it waits for the server.
    """
    # The protocol's client takes a quarter of a second to import.
    from connectors.catalog.mcp.importing import read_server
    from connectors.catalog.mcp.refreshing import account_to_read_as

    url = url.rstrip("/")
    known = Connector.objects.of(organization).filter(slug=slug, kind=Connector.Kind.MCP, base_url=url).first()
    account = account_to_read_as(known) if known is not None and not key_header else None
    catalog = read_server(organization=organization, url=url, slug=slug, account=account, key_header=key_header)
    pending = PendingImport(
        organization=organization,
        user=user,
        slug=slug,
        label=label,
        kind=Connector.Kind.MCP,
        base_url=url,
        sources=[url],
        documents=[to_json(catalog)],
    )
    return _proposed(pending, now)


def _proposed(pending: PendingImport, now: datetime) -> tuple[PendingImport, ImportReport]:
    catalog = _read(pending)
    pending.slug, pending.label = pending.slug or catalog.slug, pending.label or catalog.label
    if not pending.slug or not pending.label:
        raise CatalogError("The document does not say what to call the connector: give a slug and a label.")
    report = _import(pending, catalog, dry_run=True)
    forget(now=now)
    pending.expires_at = now + KEPT
    pending.save()
    return pending, report


def preview(pending: PendingImport) -> ImportReport:
    """What importing it would do at this moment. Raises CatalogError."""
    return _import(pending, _read(pending), dry_run=True)


@transaction.atomic
def apply(
    *, pending: PendingImport, seen: str, force: bool = False, surface: Surface, actor: Member | None = None
) -> ImportReport:
    """Imports it, if that does what was seen: `seen` is the `digest` of the report that was shown.

    Raises CatalogError, PermissionRequired; Conflict where it would do something else by now, and then does nothing.
    """
    catalog = _read(pending)
    Organization.objects.select_for_update(no_key=True).get(pk=pending.organization_id)
    authority.require(actor, Permission.CONNECTOR_MANAGE, pending.organization)
    report = _import(pending, catalog, force=force, surface=surface, actor=actor)
    if digest(report) != seen:
        raise Conflict("The connector has changed since you looked, and so has what this import does. Look again.")
    PendingImport.objects.filter(pk=pending.pk).delete()
    return report


def forget(*, now: datetime) -> int:
    """Deletes those that nobody confirmed in time, in every organization; how many those were."""
    deleted, _ = PendingImport.objects.filter(expires_at__lte=now).delete()
    return deleted


def digest(report: ImportReport) -> str:
    """Of everything that the report says is done."""
    done = {key: value for key, value in report.as_json().items() if key != "refusal"}
    return sha256(json.dumps([done, report.notes], sort_keys=True).encode()).hexdigest()


def _read(pending: PendingImport) -> Catalog:
    if pending.kind == Connector.Kind.MCP:
        return from_json(bytes(pending.documents[0]))
    documents = zip(pending.sources, pending.documents, strict=True)
    return read_catalogs([(location, bytes(content)) for location, content in documents])


def _import(
    pending: PendingImport,
    catalog: Catalog,
    *,
    dry_run: bool = False,
    force: bool = False,
    surface: Surface = Surface.ADMIN,
    actor: Member | None = None,
) -> ImportReport:
    return import_catalog(
        organization=pending.organization,
        catalog=catalog,
        slug=pending.slug,
        label=pending.label,
        base_url=pending.base_url or None,
        catalog_url=url_to_read_again(pending.sources),
        surface=surface,
        actor=actor,
        dry_run=dry_run,
        force=force,
    )
