"""Giving a tool another name, and letting everything follow that knows it by its name."""

import re
from collections.abc import Collection

from django.core.exceptions import ValidationError
from django.utils import timezone

from accesscontrol.models import Member, Surface
from accesscontrol.services.tool_names import follow_renames
from connectors.catalog.descendants import tell_forks
from connectors.catalog.naming import MAX_NAME
from connectors.catalog.writing import ALIASES_KEPT
from connectors.curation.names import advertised_name
from connectors.models import Connector, FrozenTool, Tool, ToolAlias

_SNAKE_CASE = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")


def rename(tool: Tool, name: str, *, surface: Surface, actor: Member | None) -> None:
    """Saves the tool under the name. Rules follow it, frozen tools too, and calls by the old name are still understood.

    Belongs into the transaction of the change that wants it, after `versions.bump`. Raises ValidationError.
    """
    require_free(tool, name)
    let_go(tool.connector, [name], surface=surface, actor=actor)
    before, tool.name = tool.name, name
    tool.know_as(before)
    tool.save(update_fields=["name", "former_names"])
    organization, slug = tool.connector.organization, tool.connector.slug
    follow_renames(
        organization=organization, connector=slug, names={before: name}, given=[name], surface=surface, actor=actor
    )
    FrozenTool.objects.filter(connector=tool.connector, tool=before).update(tool=name)
    kept = {"tool": tool, "expires_at": timezone.now() + ALIASES_KEPT}
    ToolAlias.objects.update_or_create(connector=tool.connector, name=before, defaults=kept)
    tell_forks(tool.connector, {before: name})


def let_go(connector: Connector, names: Collection[str], *, surface: Surface, actor: Member | None) -> None:
    """What an allow rule or an exemption means by these names, about to be another tool's, is who had them before."""
    ToolAlias.objects.filter(connector=connector, name__in=names).delete()
    tools = Tool.objects.filter(connector=connector).values_list("name", "former_names")
    meant = {old: name for name, former in tools for old in former if old in names and old != name}
    if meant:
        follow_renames(
            organization=connector.organization,
            connector=connector.slug,
            names=meant,
            reused=meant.keys(),
            surface=surface,
            actor=actor,
        )


def require_free(tool: Tool, name: str) -> None:
    """Raises ValidationError where no tool may have the name, or another one of the connector has it."""
    if len(name) > MAX_NAME or not _SNAKE_CASE.fullmatch(name):
        raise ValidationError(
            {"name": f"Write it in snake_case: lower-case letters, digits and single underscores, at most {MAX_NAME}."}
        )
    slug = tool.connector.slug
    others = Tool.objects.filter(connector=tool.connector).exclude(pk=tool.pk)
    advertised = {advertised_name(slug, other): other for other in others.values_list("name", flat=True)}
    taken_by = advertised.get(advertised_name(slug, name))
    if taken_by is not None:
        raise ValidationError({"name": f"{taken_by} is advertised as {advertised_name(slug, name)} already."})
    _require_no_alias(tool, name)


def _require_no_alias(tool: Tool, name: str) -> None:
    """Calls by a name that another tool had until lately must not reach this one instead."""
    aliases = ToolAlias.objects.filter(connector=tool.connector, name=name)
    other = aliases.filter(expires_at__gt=timezone.now()).exclude(tool=tool).select_related("tool").first()
    if other is not None:
        raise ValidationError(
            {"name": f"{other.tool.name} was called so before, and is still called by it: choose another name."}
        )
