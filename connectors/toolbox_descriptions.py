"""What operations say of a toolbox: to everybody who sees it, and to those who may change it."""

from typing import Any

from accesscontrol.caller import Caller
from accesscontrol.resolver import Checkpoint, decide
from connectors.grantees import shared_with
from connectors.models import FrozenTool, Level
from connectors.services.frozen_tools import ref_of


def summary(caller: Caller, toolbox: Any) -> dict[str, Any]:
    """Of one from `visible_toolboxes`, with its number of tools."""
    return {**_common(caller, toolbox), "tools": toolbox.tool_count}


def described(caller: Caller, toolbox: Any) -> dict[str, Any]:
    """Of one from `visible_toolboxes`. Whom it is shared with is for those who could change it."""
    edits = toolbox.level == Level.EDIT
    rows = toolbox.frozen_tools.select_related("connector").prefetch_related("pins__connection")
    found = _common(caller, toolbox) | {
        "skill": toolbox.skill,
        "tools": [_tool(caller, row, edits=edits) for row in rows],
    }
    return found | ({"shared_with": shared_with(toolbox)} if edits else {})


def _common(caller: Caller, toolbox: Any) -> dict[str, Any]:
    own = toolbox.owner_id == caller.member.pk
    return {
        "id": str(toolbox.pk),
        "name": toolbox.name,
        "description": toolbox.description,
        "owner": toolbox.owner.user.email,
        "access": "owner" if own else Level(toolbox.level).name.lower(),
        "template": toolbox.is_template,
        "enabled": toolbox.enabled,
    }


def _tool(caller: Caller, row: FrozenTool, *, edits: bool) -> dict[str, Any]:
    """Of one that a rule withholds from the caller, that it is there and by what it is withheld."""
    ref = ref_of(row)
    named = {"id": str(row.pk), "tool": f"{row.connector.slug}.{row.tool}"}
    decision = decide(Checkpoint.LIST, caller, ref)
    if not decision.allowed:
        return named | {"restricted": {"by": decision.layer, "scope": decision.scope}}
    values = {"name": row.name, "description": row.description, "fixed": row.fixed, "defaults": row.defaults}
    given = {name: value for name, value in values.items() if value}
    return named | given | ({} if row.enabled else {"enabled": False}) | _pins(row, edits=edits)


def _pins(row: FrozenTool, *, edits: bool) -> dict[str, Any]:
    """An account is named by its label alone to those who do not keep the toolbox."""
    if not row.pinned:
        return {}
    pins = [{"id": str(pin.connection_id)} if edits else {} for pin in row.pins.all()]
    labels = [{"label": pin.connection.label} for pin in row.pins.all()]
    return {"pinned": True, "connections": [pin | label for pin, label in zip(pins, labels, strict=True)]}
