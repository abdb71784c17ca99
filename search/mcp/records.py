"""The resources over our own records, under `elaichi://`."""

from collections.abc import Iterable, Mapping
from uuid import UUID

from accesscontrol.caller import Caller
from accesscontrol.permissions import Permission, Scope
from connectors.operations import describe, visible_connections
from search.mcp.resources import Contents, Resource, UnknownResource, as_json, resources


def _connections(caller: Caller, values: Mapping[str, str]) -> Contents:
    return as_json({"connections": describe(caller, visible_connections(caller).order_by("pk"))})


def _connection(caller: Caller, values: Mapping[str, str]) -> Contents:
    found = describe(caller, visible_connections(caller).filter(pk=uuid_of(values["id"])))
    if not found:
        raise UnknownResource
    return as_json(found[0])


def _connection_ids(caller: Caller, known: Mapping[str, str]) -> Iterable[str]:
    return (str(pk) for pk in visible_connections(caller).order_by("pk").values_list("pk", flat=True))


def uuid_of(given: str) -> UUID:
    """Raises UnknownResource for what is no id at all."""
    try:
        return UUID(given)
    except ValueError:
        raise UnknownResource from None


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
