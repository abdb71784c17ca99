"""The resources over our own records, under `elaichi://`."""

from collections.abc import Iterable, Mapping

from django.db.models import QuerySet

from accesscontrol.caller import Caller
from accesscontrol.permissions import Permission, Scope
from accesscontrol.tenancy import with_id
from connectors.frozen_reach import toolboxes_of
from connectors.models import Level, Toolbox
from connectors.operations import describe, visible_connections
from search.mcp import stored_files
from search.mcp.resources import Contents, Resource, UnknownResource, as_json, resources
from search.service import SKILL_URI


def _connections(caller: Caller, values: Mapping[str, str]) -> Contents:
    return as_json({"connections": describe(caller, visible_connections(caller).order_by("pk"))})


def _connection(caller: Caller, values: Mapping[str, str]) -> Contents:
    found = describe(caller, with_id(visible_connections(caller), values["id"]))
    if not found:
        raise UnknownResource
    return as_json(found[0])


def _connection_ids(caller: Caller, known: Mapping[str, str]) -> Iterable[str]:
    return (str(pk) for pk in visible_connections(caller).order_by("pk").values_list("pk", flat=True))


def _skill(caller: Caller, values: Mapping[str, str]) -> Contents:
    found = with_id(_toolboxes(caller), values["id"]).first()
    if found is None:
        raise UnknownResource
    return Contents(media_type="text/markdown", text=found.skill)


def _skill_ids(caller: Caller, known: Mapping[str, str]) -> Iterable[str]:
    return (str(pk) for pk in _toolboxes(caller).order_by("pk").values_list("pk", flat=True))


def _toolboxes(caller: Caller) -> QuerySet[Toolbox]:
    """Those whose tools the caller may use, and that say how."""
    return toolboxes_of(caller, at_least=Level.USE).filter(enabled=True).exclude(skill="")


resources.register(
    Resource(
        uri="elaichi://connections",
        name="connections",
        title="My connections",
        description="The accounts that are this person's or shared with them, and whether each works.",
        media_type="application/json",
        read=_connections,
        permission=Permission.CONNECTION_VIEW,
        scope=Scope.READ,
    )
)
resources.register(
    Resource(
        uri="elaichi://connection/{id}",
        name="connection",
        title="A connection",
        description="One of those accounts, by its id.",
        media_type="application/json",
        read=_connection,
        permission=Permission.CONNECTION_VIEW,
        scope=Scope.READ,
        complete=_connection_ids,
    )
)
resources.register(
    Resource(
        uri=SKILL_URI.format("{id}"),
        name="toolbox_skill",
        title="A toolbox's instructions",
        description="How the tools of a toolbox are meant to be used, as whoever made it wrote it down.",
        media_type="text/markdown",
        read=_skill,
        permission=Permission.TOOLBOX_VIEW,
        scope=Scope.TOOLS,
        complete=_skill_ids,
    )
)
resources.register(
    Resource(
        uri="elaichi://file/{id}",
        name="file",
        title="A stored file",
        description="What a call brought back as a file, by its id; of a large one, the address to open it at.",
        media_type="application/octet-stream",
        read=stored_files.read,
        permission=Permission.TOOL_EXECUTE,
        scope=Scope.TOOLS,
        complete=stored_files.ids,
    )
)
