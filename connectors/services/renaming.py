"""Giving a tool another name, and letting everything follow that knows it by its name."""

import re

from django.core.exceptions import ValidationError
from django.db.models import F, Q
from django.utils import timezone

from connectors.catalog.naming import MAX_NAME
from connectors.curation.names import advertised_name
from connectors.models import Connector, FrozenTool, Tool, ToolAlias

_SNAKE_CASE = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")


def rename(tool: Tool, name: str) -> None:
    """Saves the tool under the name. Blocks hold by the old one too, also for what was forked from it.

    Belongs into the transaction of the change that wants it, after `versions.bump`. Raises ValidationError.
    """
    require_free(tool, name)
    before, tool.name = tool.name, name
    tool.know_as(before)
    tool.save(update_fields=["name", "former_names"])
    FrozenTool.objects.filter(connector=tool.connector, tool=before).update(tool=name)
    tell_forks(tool.connector, before, name)


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


def tell_forks(connector: Connector, before: str, name: str) -> None:
    """A block of the new name holds for what was forked from the tool under the old one."""
    forks = Connector.objects.filter(organization=connector.organization_id, lineage__contains=[connector.slug])
    called_so = Tool.objects.filter(Q(name=before) | Q(former_names__contains=[before]), connector__in=forks)
    followed = list(called_so)
    for tool in followed:
        tool.know_as(name)
    Tool.objects.bulk_update(followed, ["former_names"])
    concerned = {tool.connector_id for tool in followed}
    Connector.objects.filter(pk__in=concerned).update(catalog_version=F("catalog_version") + 1)


def _require_no_alias(tool: Tool, name: str) -> None:
    """Calls by a name that another tool had until lately must not reach this one instead."""
    aliases = ToolAlias.objects.filter(connector=tool.connector, name=name)
    other = aliases.filter(expires_at__gt=timezone.now()).exclude(tool=tool).select_related("tool").first()
    if other is not None:
        raise ValidationError(
            {"name": f"{other.tool.name} was called so before, and is still called by it: choose another name."}
        )
    aliases.delete()
