"""Brings a catalog into an organization: one connector and its tools, created or updated as a diff."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, count
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.db import transaction

from accesscontrol import audit, versions
from accesscontrol.models import Member, Organization, Surface
from connectors.catalog.document import Catalog, CatalogError, CatalogTool, SkippedOperation
from connectors.curation.names import advertised_name
from connectors.models import Connector, Tool
from connectors.services import destinations

_BATCH = 200
_CONNECTOR_FIELDS = ("label", "base_url", "auth", "auth_schemes")
_TOOL_FIELDS = ("operation", "description", "input_schema", "annotations", "binding", "deprecated")


@dataclass(frozen=True, kw_only=True)
class ImportReport:
    """What an import did, or with `dry_run` would do; tools by name, each list in their order."""

    connector: Connector
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: tuple[str, ...]
    skipped: tuple[SkippedOperation, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class _Difference:
    """Rows to write, between the tools there are and those of a catalog."""

    added: tuple[Tool, ...]
    changed: tuple[Tool, ...]
    removed: tuple[Tool, ...]
    unchanged: tuple[Tool, ...]

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.changed or self.removed)


@transaction.atomic
def import_catalog(
    *,
    organization: Organization,
    catalog: Catalog,
    slug: str,
    label: str,
    surface: Surface,
    base_url: str | None = None,
    actor: Member | None = None,
    dry_run: bool = False,
) -> ImportReport:
    """Makes the organization's connector `slug` offer the tools of this catalog.

    The same catalog again writes nothing. A base URL that is set stays unless another is given: where accounts'
    credentials go is not for a document to change. Other hosts that its operations go to are taken as declared from
    the first import alone; what a later one adds is noted, and refused until somebody adds it to the connector's hosts.
    Raises CatalogError.
    """
    connector = _locked_connector(organization, slug)
    before, home = _facts(connector, _CONNECTOR_FIELDS), connector.base_url
    _describe(connector, catalog, label, base_url)
    existing = () if connector._state.adding else connector.tools.all()
    difference = _compare(connector, existing, catalog.tools)
    if not dry_run and (not difference.is_empty or _facts(connector, _CONNECTOR_FIELDS) != before):
        _write(connector, difference)
        versions.bump(organization)
        destinations.distrust_if_moved(connector, home)
        _record(connector, difference, surface, actor, skipped=len(catalog.skipped))
    return ImportReport(
        connector=connector,
        added=_names(difference.added),
        changed=_names(difference.changed),
        removed=_names(difference.removed),
        unchanged=_names(difference.unchanged),
        skipped=catalog.skipped,
        notes=(*catalog.notes, *_elsewhere(connector, catalog.tools)),
    )


def _locked_connector(organization: Organization, slug: str) -> Connector:
    """The organization's connector, or a new one that is not saved yet.

    The organization is locked first, in the order of everything that bumps its version: two imports at once
    take turns, also when both are the connector's first.
    """
    Organization.objects.select_for_update(no_key=True).get(pk=organization.pk)
    found = Connector.objects.of(organization).select_for_update(of=("self",)).filter(slug=slug).first()
    return found or Connector(organization=organization, slug=slug)


def _describe(connector: Connector, catalog: Catalog, label: str, base_url: str | None) -> None:
    connector.label = label
    connector.base_url = (base_url or connector.base_url or catalog.base_url).rstrip("/")
    if not connector.base_url:
        raise CatalogError("The document names no server that can be used: give the base URL.")
    connector.set_auth_schemes(catalog.auth_schemes)
    if connector._state.adding:
        connector.hosts = sorted(_other_hosts(connector, catalog.tools))
    try:
        connector.full_clean(validate_unique=False, validate_constraints=False)
    except ValidationError as error:
        field, messages = next(iter(error.message_dict.items()))
        raise CatalogError(f"The connector's {field.replace('_', ' ')} is not valid: {messages[0]}") from error


def _compare(connector: Connector, existing: Iterable[Tool], catalog_tools: Iterable[CatalogTool]) -> _Difference:
    stored = {tool.name: tool for tool in existing}
    wanted = {tool.name: tool for tool in _told_apart(connector.slug, catalog_tools)}
    kept = {name: tool for name, tool in stored.items() if name in wanted}
    changed = {name for name, tool in kept.items() if _apply(tool, wanted[name])}
    return _Difference(
        added=tuple(_new(connector, tool) for name, tool in wanted.items() if name not in stored),
        changed=tuple(tool for name, tool in kept.items() if name in changed),
        removed=tuple(tool for name, tool in stored.items() if name not in wanted),
        unchanged=tuple(tool for name, tool in kept.items() if name not in changed),
    )


def _told_apart(slug: str, tools: Iterable[CatalogTool]) -> Iterator[CatalogTool]:
    """The tools, one renamed if two would be advertised alike: `get_page` and `notion_get_page` of Notion."""
    taken: set[str] = set()
    for tool in sorted(tools, key=lambda it: it.name):
        names = chain([tool.name], (f"{tool.name}_{number}" for number in count(2)))
        name = next(it for it in names if advertised_name(slug, it) not in taken)
        taken.add(advertised_name(slug, name))
        yield replace(tool, name=name)


def _new(connector: Connector, tool: CatalogTool) -> Tool:
    row = Tool(connector=connector, name=tool.name)
    _apply(row, tool)
    return row


def _apply(row: Tool, tool: CatalogTool) -> bool:
    """Writes the catalog's values into the row; whether that made a difference."""
    before = _facts(row, _TOOL_FIELDS)
    for field in _TOOL_FIELDS:
        setattr(row, field, tool.binding.to_json() if field == "binding" else getattr(tool, field))
    return _facts(row, _TOOL_FIELDS) != before


def _facts(row: Connector | Tool, fields: tuple[str, ...]) -> str:
    """The fields' values as they look once stored: in JSON a tuple is a list, and keys have no order."""
    return json.dumps({field: getattr(row, field) for field in fields}, sort_keys=True)


def _write(connector: Connector, difference: _Difference) -> None:
    connector.catalog_version += 1
    connector.save()
    Tool.objects.filter(pk__in=[tool.pk for tool in difference.removed]).delete()
    Tool.objects.bulk_create(difference.added, batch_size=_BATCH)
    Tool.objects.bulk_update(difference.changed, _TOOL_FIELDS, batch_size=_BATCH)


def _record(
    connector: Connector, difference: _Difference, surface: Surface, actor: Member | None, *, skipped: int
) -> None:
    audit.record(
        organization=connector.organization,
        action="connector.import",
        surface=surface,
        outcome="ok",
        actor=actor,
        target=f"connector:{connector.slug}",
        detail={
            "added": len(difference.added),
            "changed": len(difference.changed),
            "removed": len(difference.removed),
            "skipped": skipped,
        },
    )


def _elsewhere(connector: Connector, tools: Iterable[CatalogTool]) -> Iterator[str]:
    """A sentence for each other host that the document sends this connector's calls to."""
    for host, number in _other_hosts(connector, tools).items():
        if host in connector.hosts:
            yield f"By the document, {number} of the tools call {host}, with the account's credential."
        else:
            yield f"{number} of the tools call {host}, which is refused until it is one of the connector's hosts."


def _other_hosts(connector: Connector, tools: Iterable[CatalogTool]) -> Counter[str]:
    """How many tools go to each host that is not the connector's own."""
    home = urlsplit(connector.base_url).netloc.lower()
    hosts = (urlsplit(tool.binding.base_url).netloc.lower() for tool in tools if tool.binding.base_url)
    return Counter(host for host in hosts if host != home)


def _names(tools: Iterable[Tool]) -> tuple[str, ...]:
    return tuple(sorted(tool.name for tool in tools))
