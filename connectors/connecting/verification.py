"""Is a credential good? Asked of the product itself, by a call that changes nothing, before it is stored."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.conf import settings

from accesscontrol.exceptions import Refusal
from connectors.binding import Binding
from connectors.execution.arguments import bind
from connectors.execution.destination import require_declared
from connectors.execution.egress import guarded_transport
from connectors.execution.request import build_request
from connectors.execution.sending import Limits, send
from connectors.models import Connector, Tool

_REFUSED = (401, 403)


def verify(connector: Connector, credential: Mapping[str, Any]) -> None:
    """Raises Refusal, with what to do, where the product refuses the credential or cannot be reached.

    A product without a read that takes no arguments cannot be asked, and is taken at its word.
    """
    if connector.kind == Connector.Kind.MCP:
        # Its client takes a quarter of a second to import.
        from connectors.connecting.mcp_verification import verify_mcp

        return verify_mcp(connector, credential)
    tool = harmless_tool(connector)
    if tool is None:
        return
    binding = Binding.from_json(tool.binding)
    request = build_request(
        bind(binding, {}),
        base_url=binding.base_url or connector.base_url,
        auth=connector.auth_scheme,
        credential=credential,
        user_agent=f"elaichi/{settings.VERSION}",
    )
    response = send(
        request,
        transport=guarded_transport(settings.EGRESS_ALLOWED),
        hop_check=partial(require_declared, connector),
        limits=Limits(total=10.0),
    )
    if response.status in _REFUSED:
        raise Refusal(f"{connector.label} refused it (status {response.status}). Check it and try again.")
    if response.status >= 500:
        raise Refusal(f"{connector.label} answered with an error (status {response.status}). Try again later.")


def harmless_tool(connector: Connector) -> Tool | None:
    """The read with the shortest path among those that need no argument."""
    reads = Tool.objects.filter(connector=connector, enabled=True, annotations__readOnlyHint=True)
    free = [tool for tool in reads if not tool.input_schema.get("required")]
    return min(free, key=lambda tool: (len(tool.binding.get("path", "")), tool.name), default=None)
