"""The operation that starts the authorization of an account; the rest happens in the browser."""

from typing import Any

from pydantic import Field

from accesscontrol.caller import Caller
from accesscontrol.exceptions import NotFound, Refusal
from accesscontrol.operation import Operation, OperationInput, registry
from accesscontrol.permissions import Permission, Scope
from accesscontrol.tenancy import with_id
from connectors.connecting.sessions import LIFETIME, open_session
from connectors.models import Connection, Connector


class UnknownConnector(Refusal):
    code = "not_found"

    def __init__(self) -> None:
        super().__init__("There is no such connector here; elaichi__connector__list names those there are.")


class ConnectInput(OperationInput):
    connector: str = Field(max_length=100)
    connection: str = Field(default="", max_length=36, description="Its id, to connect it again.")


def connect(caller: Caller, asked: ConnectInput) -> dict[str, Any]:
    rows = Connector.objects.of(caller.organization).filter(enabled=True)
    connector = rows.filter(slug=asked.connector).first() or rows.filter(label__iexact=asked.connector).first()
    if connector is None:
        raise UnknownConnector
    session, url = open_session(caller, connector, _own(caller, connector, asked.connection))
    return {
        "connector": connector.slug,
        "connect_url": url,
        "expires_at": session.expires_at.isoformat(),
        "next_step": (
            f"Ask the person to open connect_url within {int(LIFETIME.total_seconds() // 60)} minutes and to sign in "
            "there. Never ask for their key or password here."
        ),
    }


def _own(caller: Caller, connector: Connector, connection_id: str) -> Connection | None:
    """The account to connect again, where one is named. Raises NotFound."""
    if not connection_id:
        return None
    rows = with_id(Connection.objects.of(caller.organization), connection_id)
    found = rows.filter(owner=caller.member, connector=connector).first()
    if found is None:
        raise NotFound("connection")
    return found


registry.register(
    Operation(
        domain="connection",
        verb="connect",
        title="Connect an account",
        description="Returns the address of a page on which the person connects an account.",
        input=ConnectInput,
        permission=Permission.CONNECTION_CREATE,
        scope=Scope.WRITE,
        run=connect,
    )
)
