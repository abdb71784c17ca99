"""Brings a catalog into an organization: one connector and its tools, created or updated as a diff."""

from collections.abc import Iterable
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from accesscontrol import audit, versions
from accesscontrol.models import Member, Organization, Restriction, Surface
from accesscontrol.services.tool_names import rules_naming
from connectors.catalog.changes import same
from connectors.catalog.comparing import Difference, compare
from connectors.catalog.document import Catalog, CatalogError
from connectors.catalog.hosts import declared_hosts, notes_on_hosts
from connectors.catalog.report import ImportReport, Uses
from connectors.catalog.writing import write
from connectors.models import Connector, FrozenTool, Tool
from connectors.services import destinations

__all__ = ["ImportReport", "import_catalog"]

_CONNECTOR_FIELDS = ("label", "aliases", "base_url", "auth", "auth_schemes", "catalog_url")


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
    force: bool = False,
    catalog_url: str | None = None,
    now: datetime | None = None,
) -> ImportReport:
    """Makes the organization's connector `slug` offer the tools of this catalog.

    The same catalog again writes nothing. A base URL that is set stays unless another is given: where accounts'
    credentials go is not for a document to change. Other hosts that its operations go to are taken as declared from
    the first import alone; what a later one adds is noted, and refused until somebody adds it to the connector's hosts.

    A tool whose operation has another name in this catalog is renamed: it stays the same row, and what names it (rules,
    exemptions, frozen tools) follows. A catalog without more than half of the tools there are is refused unless it is
    forced; a dry run reports that. `catalog_url` is where it was read from, empty for what was no URL.

    Raises CatalogError.
    """
    connector = _locked_connector(organization, slug, catalog)
    before, home = _facts(connector), connector.base_url
    _describe(connector, catalog, label, base_url, catalog_url)
    stored = () if connector._state.adding else connector.tools.all()
    difference = compare(connector, stored, catalog.tools)
    refusal = _refusal(connector, difference) if difference.drops_most and not force else ""
    if refusal and not dry_run:
        raise CatalogError(refusal)
    if not dry_run and (not difference.is_empty or not same(_facts(connector), before)):
        versions.bump(organization)
        write(connector, difference, surface=surface, actor=actor, now=now or timezone.now())
        destinations.distrust_if_moved(connector, home)
        _record(connector, difference, surface, actor, skipped=len(catalog.skipped))
    return _report(connector, catalog, difference, refusal)


def _locked_connector(organization: Organization, slug: str, catalog: Catalog) -> Connector:
    """The organization's connector, or a new one that is not saved yet.

    The organization is locked first, in the order of everything that bumps its version: two imports at once
    take turns, also when both are the connector's first.
    """
    Organization.objects.select_for_update(no_key=True).get(pk=organization.pk)
    rows = Connector.objects.of(organization).select_for_update(of=("self",), no_key=True)
    found = rows.filter(slug=slug).first()
    if found is not None and found.kind != catalog.kind:
        what = Connector.Kind(catalog.kind).label
        raise CatalogError(f"{found.label} is a connector of another kind ({found.get_kind_display()}, not {what}).")
    if found is not None and found.forked_from is not None:
        upstream = found.forked_from.label
        raise CatalogError(f"{found.label} is a fork of {upstream}: import into {upstream}, and pull from there.")
    return found or Connector(organization=organization, slug=slug, kind=catalog.kind)


def _describe(
    connector: Connector, catalog: Catalog, label: str, base_url: str | None, catalog_url: str | None
) -> None:
    connector.label = label
    connector.base_url = (base_url or connector.base_url or catalog.base_url).rstrip("/")
    if not connector.base_url:
        raise CatalogError("The document names no server that can be used: give the base URL.")
    connector.aliases = list(catalog.aliases) or connector.aliases
    connector.set_auth_schemes(catalog.auth_schemes)
    if catalog_url is not None:
        connector.catalog_url = catalog_url
    if connector._state.adding:
        connector.hosts = declared_hosts(connector, catalog)
    try:
        connector.full_clean(validate_unique=False, validate_constraints=False)
    except ValidationError as error:
        field, messages = next(iter(error.message_dict.items()))
        raise CatalogError(f"The connector's {field.replace('_', ' ')} is not valid: {messages[0]}") from error


def _facts(connector: Connector) -> dict[str, object]:
    return {field: getattr(connector, field) for field in _CONNECTOR_FIELDS}


def _refusal(connector: Connector, difference: Difference) -> str:
    removed = len(difference.removed)
    there_are = removed + len(difference.changed) + len(difference.unchanged)
    return (
        f"This catalog would remove {removed} of {connector.label}'s {there_are} tools. If it is the right one, "
        "import it with --force; --dry-run shows what would go."
    )


def _record(
    connector: Connector, difference: Difference, surface: Surface, actor: Member | None, *, skipped: int
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
            "renamed": len(difference.renamed),
            "skipped": skipped,
            "names_removed": list(_names(difference.removed)),
        },
    )


def _report(connector: Connector, catalog: Catalog, difference: Difference, refusal: str) -> ImportReport:
    return ImportReport(
        connector=connector,
        added=_names(difference.added),
        changed=_names(difference.changed),
        removed=_names(difference.removed),
        unchanged=_names(difference.unchanged),
        skipped=catalog.skipped,
        notes=(*catalog.notes, *notes_on_hosts(connector, catalog.tools)),
        renamed=tuple(sorted((old, tool.name) for old, tool in difference.renamed.items())),
        deprecated=_names(tool for tool in difference.current if tool.deprecated),
        changes=dict(sorted(difference.changes.items())),
        used_by=_uses(connector, _names(difference.removed)),
        refusal=refusal,
    )


def _uses(connector: Connector, names: tuple[str, ...]) -> dict[str, Uses]:
    """Who would miss these tools; those that nobody uses are left out."""
    if not names:
        return {}
    rules = rules_naming(connector.organization, connector.slug, names)
    toolboxes: dict[str, list[str]] = {}
    frozen = FrozenTool.objects.filter(connector=connector, tool__in=names).order_by("toolbox__name")
    for tool, toolbox in frozen.values_list("tool", "toolbox__name"):
        toolboxes.setdefault(tool, []).append(toolbox)
    return {
        name: Uses(
            restrictions=tuple((str(rule.pk), _subject(rule)) for rule in rules.get(name, ())),
            toolboxes=tuple(dict.fromkeys(toolboxes.get(name, ()))),
        )
        for name in names
        if name in rules or name in toolboxes
    }


def _subject(rule: Restriction) -> str:
    return str(rule.role or rule.member)


def _names(tools: Iterable[Tool]) -> tuple[str, ...]:
    return tuple(sorted(tool.name for tool in tools))
