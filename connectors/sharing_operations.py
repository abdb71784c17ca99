"""The operations by which those who may change an account share it, rename it and disconnect it."""

from typing import Any

from django.core.exceptions import ValidationError
from pydantic import Field

from accesscontrol.caller import Caller
from accesscontrol.exceptions import InvalidArguments, NotFound, Problem
from accesscontrol.operation import Operation, OperationInput, registry
from accesscontrol.permissions import Permission, Scope
from accesscontrol.tenancy import with_id
from connectors import grantees
from connectors.grantees import ShareInput, shared_with
from connectors.models import Connection
from connectors.services import connections


class ConnectionInput(OperationInput):
    connection: str = Field(max_length=36)


class ShareConnectionInput(ShareInput, ConnectionInput):
    pass


class RenameInput(ConnectionInput):
    label: str = Field(min_length=1, max_length=100)


def share(caller: Caller, asked: ShareConnectionInput) -> dict[str, Any]:
    connection = connection_of(caller, asked)
    grantees.apply(caller, connection, asked)
    return _described(connection)


def rename(caller: Caller, asked: RenameInput) -> dict[str, Any]:
    try:
        renamed = connections.rename(
            connection=connection_of(caller, asked), label=asked.label, surface=caller.surface, actor=caller.member
        )
    except ValidationError as error:
        raise InvalidArguments([Problem("label", " ".join(error.messages))]) from None
    return _described(renamed)


def disconnect(caller: Caller, asked: ConnectionInput) -> dict[str, Any]:
    ended = connections.disconnect(connection=connection_of(caller, asked), surface=caller.surface, actor=caller.member)
    return _described(ended) | {"status": ended.status}


def _described(connection: Connection) -> dict[str, Any]:
    return {"id": str(connection.pk), "label": connection.label, "shared_with": shared_with(connection)}


def connection_of(caller: Caller, asked: ConnectionInput) -> Connection:
    """One of the organization; whether the caller reaches it is for the service to say, in the same words."""
    rows = Connection.objects.of(caller.organization).select_related("connector__organization")
    found = with_id(rows, asked.connection).first()
    if found is None:
        raise NotFound("connection")
    return found


registry.register(
    Operation(
        domain="connection",
        verb="share",
        title="Share a connection",
        description="Shares an account.",
        input=ShareConnectionInput,
        permission=Permission.CONNECTION_CREATE,
        scope=Scope.WRITE,
        run=share,
        subject="connection",
    )
)
registry.register(
    Operation(
        domain="connection",
        verb="rename",
        title="Rename a connection",
        description="Gives an account another label.",
        input=RenameInput,
        permission=Permission.CONNECTION_CREATE,
        scope=Scope.WRITE,
        run=rename,
        subject="connection",
    )
)
registry.register(
    Operation(
        domain="connection",
        verb="disconnect",
        title="Disconnect a connection",
        description="Ends an account and erases its secret.",
        input=ConnectionInput,
        permission=Permission.CONNECTION_CREATE,
        scope=Scope.DESTRUCTIVE,
        run=disconnect,
        subject="connection",
    )
)
