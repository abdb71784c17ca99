"""The operations by which its owner gives an account to somebody else, or deletes it; each first says what follows."""

from typing import Any, Literal

from pydantic import Field

from accesscontrol.caller import Caller
from accesscontrol.exceptions import NotFound
from accesscontrol.operation import Operation, registry
from accesscontrol.permissions import Permission, Scope
from connectors.grantees import member_named
from connectors.models import Connection, Level
from connectors.models.share import LEVELS
from connectors.reach import reaches
from connectors.services import connections, transfers
from connectors.services.authority import OwnerRequired
from connectors.services.transfers import Stopping
from connectors.sharing_operations import ConnectionInput, connection_of

PREVIEW = Field(default=True, description="false does it.")


class TransferInput(ConnectionInput):
    new_owner: str = Field(min_length=3, max_length=254, description="An e-mail address.")
    keep: Literal["none", "view", "use", "edit"] = Field(default="none")
    preview: bool = PREVIEW


class DeleteInput(ConnectionInput):
    preview: bool = PREVIEW


def transfer(caller: Caller, asked: TransferInput) -> dict[str, Any]:
    connection = _own(caller, asked)
    to, keep = member_named(caller, asked.new_owner.strip()), LEVELS.get(asked.keep)
    found = transfers.preview_transfer(connection=connection, new_owner=to, keep=keep)
    if not asked.preview:
        transfers.transfer(connection=connection, new_owner=to, keep=keep, surface=caller.surface, actor=caller.member)
    return {
        "id": str(connection.pk),
        "done": not asked.preview,
        "new_owner": found.new_owner,
        "label": found.label,
        "keeps_access": list(found.keeps),
        "loses_access": list(found.loses),
        **_stopping(found.stopping),
        **_next(asked.preview),
    }


def delete(caller: Caller, asked: DeleteInput) -> dict[str, Any]:
    connection = _own(caller, asked)
    found = connections.preview_delete(connection=connection)
    if not asked.preview:
        connections.delete(connection=connection, surface=caller.surface, actor=caller.member)
    return {
        "id": asked.connection,
        "done": not asked.preview,
        "label": connection.label,
        "shared_with": list(found.shared_with),
        **_stopping(found.stopping),
        "tools": found.tools,
        "other_accounts": list(found.other_accounts),
        "files": found.files,
        **_next(asked.preview),
    }


def _own(caller: Caller, asked: ConnectionInput) -> Connection:
    """A preview says whom an account is shared with and whose tools run through it: that is for its owner."""
    connection = connection_of(caller, asked)
    if not reaches(caller.member, connection, at_least=Level.VIEW):
        raise NotFound("connection")
    if connection.owner_id != caller.member.pk:
        raise OwnerRequired(connection)
    return connection


def _stopping(tools: tuple[Stopping, ...]) -> dict[str, Any]:
    return {"tools_that_stop": [str(one) for one in tools]}


def _next(preview: bool) -> dict[str, str]:
    said = "Nothing has changed. Tell the person what follows, and call again with preview: false if they agree."
    return {"next_step": said} if preview else {}


registry.register(
    Operation(
        domain="connection",
        verb="transfer",
        title="Transfer a connection",
        description="Gives your account to another member.",
        input=TransferInput,
        permission=Permission.CONNECTION_CREATE,
        scope=Scope.DESTRUCTIVE,
        run=transfer,
        subject="connection",
    )
)
registry.register(
    Operation(
        domain="connection",
        verb="delete",
        title="Delete a connection",
        description="Deletes your account for everybody.",
        input=DeleteInput,
        permission=Permission.CONNECTION_CREATE,
        scope=Scope.DESTRUCTIVE,
        run=delete,
        subject="connection",
    )
)
