"""Is a credential good? Asked of a remote MCP server by listing its tools."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from mcp import Client

from accesscontrol.exceptions import Refusal
from connectors.execution.destination import require_declared
from connectors.execution.errors import CredentialRefused, ErrorStatus
from connectors.execution.mcp_call import server_of
from connectors.execution.mcp_session import converse
from connectors.execution.sending import Limits
from connectors.models import Connector


def verify_mcp(connector: Connector, credential: Mapping[str, Any]) -> None:
    """Raises Refusal, with what to do, where the server refuses the credential or cannot be reached."""
    try:
        converse(
            server_of(connector, credential),
            _list,
            hop_check=partial(require_declared, connector),
            limits=Limits(total=10.0),
        )
    except CredentialRefused:
        raise Refusal(f"{connector.label} refused it (status 401). Check it and try again.") from None
    except ErrorStatus as error:
        if error.help["status"] != 403:
            raise
        raise Refusal(f"{connector.label} refused it (status 403). Check it and try again.") from None


async def _list(client: Client) -> None:
    await client.list_tools()
