"""Writes the difference between a connector's tools and a catalog's, and what follows from a tool's new name."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db.models import CharField
from django.db.models.functions import Cast

from accesscontrol.models import Member, Surface
from accesscontrol.services import tool_names
from connectors.catalog.comparing import TOOL_FIELDS, Difference
from connectors.catalog.descendants import tell_forks
from connectors.curation.names import advertised_name
from connectors.models import Connector, FrozenTool, Tool, ToolAlias

ALIASES_KEPT = timedelta(days=90)
_BATCH = 200


def write(
    connector: Connector, difference: Difference, *, surface: Surface, actor: Member | None, now: datetime
) -> None:
    """In the transaction of the import, under the organization's lock."""
    connector.catalog_version += 1
    connector.save()
    Tool.objects.filter(pk__in=[tool.pk for tool in difference.removed]).delete()
    _make_way_for(difference)
    Tool.objects.bulk_update(difference.changed, ["name", "former_names", *TOOL_FIELDS], batch_size=_BATCH)
    Tool.objects.bulk_create(difference.added, batch_size=_BATCH)
    _keep_aliases(connector, difference, now)
    if names := _names_to_follow(difference):
        _follow_renames(connector, names, difference, surface, actor)


def _make_way_for(difference: Difference) -> None:
    """Tools may have swapped names, and a unique name is unique at each moment."""
    rows = Tool.objects.filter(pk__in=[tool.pk for tool in difference.renamed.values()])
    rows.update(name=Cast("pk", CharField()))
    for old, tool in difference.renamed.items():
        tool.know_as(old)


def _keep_aliases(connector: Connector, difference: Difference, now: datetime) -> None:
    """The former names go on being understood, unless a tool would be called by them now."""
    in_use = {advertised_name(connector.slug, tool.name) for tool in difference.current}
    former = [
        ToolAlias(connector=connector, name=old, tool=tool, expires_at=now + ALIASES_KEPT)
        for old, tool in difference.renamed.items()
    ]
    ToolAlias.objects.bulk_create(
        former, update_conflicts=True, unique_fields=["connector", "name"], update_fields=["tool", "expires_at"]
    )
    kept = ToolAlias.objects.filter(connector=connector)
    taken = [it.pk for it in kept if advertised_name(connector.slug, it.name) in in_use]
    kept.filter(pk__in=taken).delete()


def _names_to_follow(difference: Difference) -> dict[str, str]:
    """From former names to present ones: of what is renamed now, and of what was once called as a newcomer is."""
    fresh = {tool.name for tool in (*difference.added, *difference.renamed.values())}
    once = {old: tool.name for tool in difference.current for old in tool.former_names if old in fresh}
    return once | {old: tool.name for old, tool in difference.renamed.items()}


def _follow_renames(
    connector: Connector, names: Mapping[str, str], difference: Difference, surface: Surface, actor: Member | None
) -> None:
    tool_names.follow_renames(
        organization=connector.organization,
        connector=connector.slug,
        names=names,
        reused=names.keys() & {tool.name for tool in difference.current},
        given=[tool.name for tool in difference.renamed.values()],
        surface=surface,
        actor=actor,
    )
    renamed = {old: tool.name for old, tool in difference.renamed.items()}
    frozen = list(FrozenTool.objects.filter(connector=connector, tool__in=renamed))
    for one in frozen:
        one.tool = renamed[one.tool]
    FrozenTool.objects.bulk_update(frozen, ["tool"], batch_size=_BATCH)
    tell_forks(connector, renamed)
