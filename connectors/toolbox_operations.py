"""The operations over toolboxes, and over templates, of which everybody makes a toolbox of their own."""

from typing import Any

from django.db.models import Count, Prefetch, QuerySet
from pydantic import Field

from accesscontrol.caller import Caller
from accesscontrol.exceptions import InvalidArguments, NotFound, Problem, Refusal
from accesscontrol.operation import Operation, OperationInput, parse_input, registry
from accesscontrol.pagination import SearchedPageInput, page
from accesscontrol.permissions import Permission, Scope
from accesscontrol.tenancy import parse_id, with_id
from connectors import grantees
from connectors.frozen_reach import toolboxes_of
from connectors.grantees import ShareInput, shared_with
from connectors.models import Connection, Level, Share, Toolbox
from connectors.reach import with_levels
from connectors.services import stamping, toolbox_saving, toolboxes
from connectors.services.frozen_tools import MAX_TOOLS, Changes
from connectors.services.toolbox_saving import Wanted
from connectors.toolbox_descriptions import described, summary

NEW = "new"
"""In place of the id of a toolbox that is to be made."""


class ConfinedClient(Refusal):
    """A grant that leads to some toolboxes alone: could it change them, it would lead to whatever it puts there."""

    code = "permission_required"

    def __init__(self) -> None:
        super().__init__(
            "This client may use the tools of some toolboxes and change none. Change it in the admin, or connect a "
            "client that is confined to no toolbox."
        )


class ToolboxListInput(SearchedPageInput):
    templates: bool = False


class ToolboxInput(OperationInput):
    toolbox: str = Field(max_length=36)


class SaveInput(OperationInput):
    toolbox: str = Field(max_length=36, description="Its id, or new.")
    name: str | None = Field(default=None, min_length=1, max_length=100)
    description: str | None = Field(default=None, max_length=500)
    skill: str | None = Field(default=None, max_length=10_000)
    template: bool | None = None
    enabled: bool | None = None
    tools: list[Any] | None = Field(
        default=None,
        max_length=MAX_TOOLS,
        description=(
            "All that it holds: {tool, name?, description?, fixed?, defaults?, connections? (ids to pin), enabled?}; "
            "{id} keeps one."
        ),
    )


class ToolInput(OperationInput):
    """One of `tools`. What is left out of one that is there already stays as it is."""

    id: str = Field(default="", max_length=36)
    tool: str = Field(default="", max_length=260)
    name: str | None = Field(default=None, max_length=60)
    description: str | None = Field(default=None, max_length=2_000)
    fixed: dict[str, Any] | None = None
    defaults: dict[str, Any] | None = None
    connections: list[str] | None = Field(default=None, max_length=100)
    enabled: bool | None = None


class ShareToolboxInput(ShareInput, ToolboxInput):
    pass


class StampInput(OperationInput):
    template: str = Field(max_length=36)
    name: str = Field(min_length=1, max_length=100)


def list_toolboxes(caller: Caller, asked: ToolboxListInput) -> dict[str, Any]:
    rows = visible_toolboxes(caller).annotate(tool_count=Count("frozen_tools", distinct=True))
    if asked.templates:
        rows = rows.filter(is_template=True, enabled=True)
    found, more = page(rows, asked, name="toolbox.list", fields=("name", "description"))
    return {"toolboxes": [summary(caller, row) for row in found], **more}


def get(caller: Caller, asked: ToolboxInput) -> dict[str, Any]:
    return described(caller, _toolbox(caller, asked.toolbox))


def save(caller: Caller, asked: SaveInput) -> dict[str, Any]:
    toolbox = None if asked.toolbox == NEW else _toolbox(caller, asked.toolbox)
    _require_unconfined(caller)
    if toolbox is None and asked.name is None:
        raise InvalidArguments([Problem("name", "is needed for a new toolbox")])
    texts = asked.model_dump(include={"name", "description", "skill", "enabled"}, exclude_none=True)
    saved = toolbox_saving.save(
        toolbox=toolbox,
        texts=texts | ({} if asked.template is None else {"is_template": asked.template}),
        tools=None if asked.tools is None else _wanted(caller, asked.tools),
        surface=caller.surface,
        actor=caller.member,
    )
    return described(caller, visible_toolboxes(caller).get(pk=saved.pk))


def delete(caller: Caller, asked: ToolboxInput) -> dict[str, Any]:
    toolbox = _toolbox(caller, asked.toolbox)
    _require_unconfined(caller)
    used_by = shared_with(toolbox)
    toolboxes.delete(toolbox=toolbox, surface=caller.surface, actor=caller.member)
    return {"id": asked.toolbox, "name": toolbox.name, "deleted": True, "was_shared_with": used_by}


def share(caller: Caller, asked: ShareToolboxInput) -> dict[str, Any]:
    toolbox = _toolbox(caller, asked.toolbox)
    _require_unconfined(caller)
    grantees.apply(caller, toolbox, asked)
    return {"id": str(toolbox.pk), "name": toolbox.name, "shared_with": shared_with(_toolbox(caller, asked.toolbox))}


def stamp(caller: Caller, asked: StampInput) -> dict[str, Any]:
    template = with_id(toolboxes_of(caller, at_least=Level.VIEW), asked.template).first()
    if template is None or not template.is_template:
        raise NotFound("template")
    _require_unconfined(caller)
    with toolbox_saving.placed():
        made = stamping.stamp(template=template, owner=caller.member, name=asked.name, surface=caller.surface)
    return described(caller, visible_toolboxes(caller).get(pk=made.toolbox.pk)) | {"left_out": list(made.left_out)}


def visible_toolboxes(caller: Caller) -> QuerySet[Toolbox]:
    """Those within the caller's reach, with the level they have there."""
    rows = with_levels(toolboxes_of(caller, at_least=Level.VIEW), caller.member).select_related("owner__user")
    return rows.prefetch_related(Prefetch("shares", Share.objects.select_related("member__user", "team")))


def _toolbox(caller: Caller, pk: str) -> Toolbox:
    found = with_id(visible_toolboxes(caller), pk).first()
    if found is None:
        raise NotFound("toolbox")
    return found


def _require_unconfined(caller: Caller) -> None:
    if caller.toolboxes is not None:
        raise ConfinedClient


def _wanted(caller: Caller, tools: list[Any]) -> list[Wanted]:
    found = []
    for number, given in enumerate(tools):
        with toolbox_saving.placed(f"tools/{number}"):
            if not isinstance(given, dict):
                raise InvalidArguments([Problem("", "must be an object such as {tool, fixed}")])
            found.append(_one(caller, parse_input(ToolInput, given)))
    return found


def _one(caller: Caller, asked: ToolInput) -> Wanted:
    if not (asked.id or asked.tool):
        raise InvalidArguments([Problem("tool", "is needed, or the id of a tool that the toolbox has")])
    named = asked.model_dump(exclude={"id", "tool", "connections"})
    connections = None if asked.connections is None else [_connection(caller, pk) for pk in asked.connections]
    if asked.id and parse_id(asked.id) is None:
        raise InvalidArguments([Problem("id", "is no id")])
    return Wanted(id=parse_id(asked.id), tool=asked.tool, changes=Changes(**named, connections=connections))


def _connection(caller: Caller, pk: str) -> Connection:
    """One of the organization; whether the caller reaches it is for the service to say."""
    found = with_id(Connection.objects.of(caller.organization).select_related("connector"), pk).first()
    if found is None:
        reason = f"{NotFound('connection')} elaichi__connection__list names those there are."
        raise InvalidArguments([Problem("connections", reason)])
    return found


for operation in (
    Operation(
        domain="toolbox",
        verb="list",
        title="List toolboxes",
        description="Your toolboxes and those shared with you, or the templates.",
        input=ToolboxListInput,
        permission=Permission.TOOLBOX_VIEW,
        scope=Scope.READ,
        run=list_toolboxes,
    ),
    Operation(
        domain="toolbox",
        verb="get",
        title="Get a toolbox",
        description="A toolbox with its tools and its skill.",
        input=ToolboxInput,
        permission=Permission.TOOLBOX_VIEW,
        scope=Scope.READ,
        run=get,
        subject="toolbox",
    ),
    Operation(
        domain="toolbox",
        verb="save",
        title="Save a toolbox",
        description="Makes or changes a toolbox and its tools.",
        input=SaveInput,
        permission=Permission.TOOLBOX_CREATE,
        scope=Scope.WRITE,
        run=save,
        subject="toolbox",
    ),
    Operation(
        domain="toolbox",
        verb="delete",
        title="Delete a toolbox",
        description="Ends a toolbox for everybody.",
        input=ToolboxInput,
        permission=Permission.TOOLBOX_CREATE,
        scope=Scope.DESTRUCTIVE,
        run=delete,
        subject="toolbox",
    ),
    Operation(
        domain="toolbox",
        verb="share",
        title="Share a toolbox",
        description="Shares a toolbox.",
        input=ShareToolboxInput,
        permission=Permission.TOOLBOX_CREATE,
        scope=Scope.WRITE,
        run=share,
        subject="toolbox",
    ),
    Operation(
        domain="template",
        verb="stamp",
        title="Stamp a template",
        description="Makes your own toolbox of a template.",
        input=StampInput,
        permission=Permission.TOOLBOX_CREATE,
        scope=Scope.WRITE,
        run=stamp,
        subject="template",
    ),
):
    registry.register(operation)
