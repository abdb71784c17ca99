"""Forking a connector, and pulling what its upstream has changed since."""

from collections.abc import Collection, Iterable, Mapping

from django.core.exceptions import ValidationError
from django.db import transaction

from accesscontrol import audit, versions
from accesscontrol.exceptions import Conflict, NotFound
from accesscontrol.models import Member, Surface
from accesscontrol.permissions import Permission
from accesscontrol.services import authority
from connectors.catalog.forks import Difference, Item, Kind, agreed, compare, copied, paired, settle
from connectors.curation.names import advertised_name, free_name
from connectors.models import Connector, Tool
from connectors.services.renaming import let_go, rename

_BATCH = 200
_COPIED = (
    "organization",
    "aliases",
    "kind",
    "base_url",
    "hosts",
    "auth",
    "auth_schemes",
    "max_concurrent_calls",
    "calls_per_minute",
)
_WRITTEN = ("operation", "description", "input_schema", "annotations", "binding", "deprecated")


@transaction.atomic
def fork(
    *, connector: Connector, slug: str, label: str, base_url: str = "", surface: Surface, actor: Member | None = None
) -> Connector:
    """A connector of its own with the same tools; nobody's account, no OAuth application and no secret comes along.

    Blocks of what it was forked from hold for it. Raises PermissionRequired, NotFound, ValidationError.
    """
    versions.bump(connector.organization)
    authority.require(actor, Permission.CONNECTOR_MANAGE, connector.organization)
    upstream = _locked(connector)
    made = Connector(slug=slug, label=label, **{field: getattr(upstream, field) for field in _COPIED})
    made.base_url = (base_url or upstream.base_url).rstrip("/")
    made.lineage = [upstream.slug, *upstream.lineage]
    made.forked_from = upstream
    made.catalog_version = 1
    made.full_clean()
    made.save()
    tools = _add(made, upstream.tools.all(), taken=set(), surface=surface, actor=actor)
    _record("connector.fork", made, surface, actor, {"from": upstream.slug, "tools": len(tools)})
    return made


def difference_of(fork: Connector) -> Difference:
    """What there is to pull at this moment. Raises Conflict where there is nothing to pull from."""
    return compare(list(fork.tools.all()), list(_upstream_of(fork).tools.all()))


@transaction.atomic
def pull(*, fork: Connector, picks: Collection[str], surface: Surface, actor: Member | None = None) -> tuple[Item, ...]:
    """Takes from upstream what is picked, by the keys of the items of `difference_of`, and nothing else.

    Restrictions stay as they are. Raises PermissionRequired, NotFound; Conflict where something picked is not on offer
    any more, or a name is taken.
    """
    versions.bump(fork.organization)
    authority.require(actor, Permission.CONNECTOR_MANAGE, fork.organization)
    locked = _locked(fork)
    here, theirs = list(locked.tools.all()), list(_upstream_of(locked).tools.all())
    chosen = _chosen(compare(here, theirs), picks)
    _remove(item.here for item in chosen if item.kind is Kind.REMOVED)
    _take([item for item in chosen if item.kind in (Kind.SAFE, Kind.CONFLICT)], here, theirs, surface, actor)
    taken = {advertised_name(locked.slug, name) for name in locked.tools.values_list("name", flat=True)}
    new = [item.upstream for item in chosen if item.kind is Kind.NEW and item.upstream]
    _add(locked, new, taken, surface=surface, actor=actor)
    locked.catalog_version += 1
    locked.save(update_fields=["catalog_version", "updated_at"])
    _record("connector.pull", locked, surface, actor, {"from": locked.lineage[0], **_counted(chosen)})
    return chosen


def _upstream_of(fork: Connector) -> Connector:
    if fork.forked_from is None and fork.lineage:
        raise Conflict(
            f"{fork.label} was forked from {fork.lineage[0]}, which was deleted: there is nothing to pull from. "
            "Import its catalog again, and fork that."
        )
    if fork.forked_from is None:
        raise Conflict(f"{fork.label} is no fork, so there is nothing to pull from.")
    return fork.forked_from


def _locked(connector: Connector) -> Connector:
    rows = Connector.objects.select_for_update(of=("self",), no_key=True).select_related("organization", "forked_from")
    found = rows.filter(pk=connector.pk).first()
    if found is None:
        raise NotFound("connector")
    return found


def _chosen(difference: Difference, picks: Collection[str]) -> tuple[Item, ...]:
    if not picks:
        raise Conflict("Nothing was picked, so nothing was pulled.")
    offered = {item.key: item for item in difference.items}
    if not offered.keys() >= set(picks):
        raise Conflict("Something that was picked has changed meanwhile. Look at what there is now and pick again.")
    return tuple(item for item in difference.items if item.key in picks)


def _remove(tools: Iterable[Tool | None]) -> None:
    Tool.objects.filter(pk__in=[tool.pk for tool in tools if tool is not None]).delete()


def _take(
    items: Collection[Item], here: Collection[Tool], theirs: Collection[Tool], surface: Surface, actor: Member | None
) -> None:
    """Of every tool that both have, also what they agree in by now is kept as taken."""
    for item in items:
        assert item.here is not None  # a change is to a tool here
        assert item.upstream is not None  # and comes from one there
        for field in item.fields:
            if field == "name":
                _rename(item.here, item.upstream.name, surface, actor)
            else:
                setattr(item.here, field, getattr(item.upstream, field))
        settle(item.here, item.upstream, item.fields)
    pairs = paired(here, theirs)
    for mine, upstream in pairs:
        settle(mine, upstream, agreed(mine, upstream))
        mine.know_as(upstream.name, *upstream.former_names)
    written = [*_WRITTEN, "baseline", "upstream_name", "former_names"]
    Tool.objects.bulk_update([mine for mine, _ in pairs], written, batch_size=_BATCH)


def _rename(tool: Tool, name: str, surface: Surface, actor: Member | None) -> None:
    try:
        rename(tool, name, surface=surface, actor=actor)
    except ValidationError as error:
        raise Conflict(f"{tool.name} cannot take the name {name} here. {' '.join(error.messages)}") from error


def _add(
    fork: Connector, tools: Iterable[Tool], taken: set[str], *, surface: Surface, actor: Member | None
) -> list[Tool]:
    """Copies, each under its own name or, where that would be advertised like another's, a numbered one."""
    made = []
    for tool in tools:
        made.append(copied(tool, fork, free_name(fork.slug, tool.name, taken)))
        taken.add(advertised_name(fork.slug, made[-1].name))
    let_go(fork, [tool.name for tool in made], surface=surface, actor=actor)
    return Tool.objects.bulk_create(made, batch_size=_BATCH)


def _counted(chosen: Iterable[Item]) -> dict[str, list[str]]:
    """The tools' names, by what was done to them."""
    found: dict[str, list[str]] = {}
    for item in chosen:
        names = found.setdefault(item.kind, [])
        if item.tool not in names:
            names.append(item.tool)
    return found


def _record(
    action: str,
    connector: Connector,
    surface: Surface,
    actor: Member | None,
    detail: Mapping[str, int | str | list[str]],
) -> None:
    audit.record(
        organization=connector.organization,
        action=action,
        surface=surface,
        outcome="ok",
        actor=actor,
        target=f"connector:{connector.slug}",
        detail=detail,
    )
