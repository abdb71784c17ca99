"""Changing a tool by hand: what it is called, in a fork alone, how it is described, and whether it is there at all."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F

from accesscontrol import audit, versions
from accesscontrol.exceptions import NotFound
from accesscontrol.models import Member, Surface
from accesscontrol.permissions import Permission
from accesscontrol.services import authority
from connectors.models import Connector, Tool
from connectors.services.renaming import rename, require_free


@transaction.atomic
def change(
    *, tool: Tool, name: str, description: str, enabled: bool, surface: Surface, actor: Member | None = None
) -> Tool:
    """Raises PermissionRequired, NotFound, ValidationError."""
    organization = tool.connector.organization
    versions.bump(organization)
    authority.require(actor, Permission.CONNECTOR_MANAGE, organization)
    locked = _locked(tool)
    before = locked.name, locked.description, locked.enabled
    require_name(locked, name)
    if name != locked.name:
        rename(locked, name, surface=surface, actor=actor)
    locked.description, locked.enabled = description, enabled
    locked.save(update_fields=["description", "enabled"])
    Connector.objects.filter(pk=locked.connector_id).update(catalog_version=F("catalog_version") + 1)
    _record(locked, before, surface, actor)
    return locked


def require_name(tool: Tool, name: str) -> None:
    """Raises ValidationError where the tool cannot be given the name."""
    if name == tool.name:
        return
    if not tool.connector.lineage:
        raise ValidationError({"name": "A tool's name comes from its catalog. Fork the connector to rename its tools."})
    require_free(tool, name)


def _locked(tool: Tool) -> Tool:
    rows = Tool.objects.select_for_update(of=("self",), no_key=True).select_related("connector__organization")
    found = rows.filter(pk=tool.pk).first()
    if found is None:
        raise NotFound("tool")
    return found


def _record(tool: Tool, before: tuple[str, str, bool], surface: Surface, actor: Member | None) -> None:
    """Names what changed; of the texts only that they did."""
    after = tool.name, tool.description, tool.enabled
    fields = ("name", "description", "enabled")
    changed = [field for field, was, now in zip(fields, before, after, strict=True) if was != now]
    renamed = {"before": before[0]} if before[0] != tool.name else {}
    audit.record(
        organization=tool.connector.organization,
        action="tool.change",
        surface=surface,
        outcome="ok",
        actor=actor,
        target=f"tool:{tool}",
        detail={"changed": changed, **renamed},
    )
