"""One call of a tool of a remote MCP server.

Importing this brings in the protocol's client, a quarter of a second and 8 MiB, so it is imported where it is
first needed.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from django.conf import settings
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    UNSUPPORTED_PROTOCOL_VERSION,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    InputRequiredResult,
)
from pydantic import TypeAdapter

from connectors.auth_scheme import AuthKind, AuthScheme
from connectors.catalog.mcp.staleness import ask_for_refresh
from connectors.execution.arguments import BoundRequest
from connectors.execution.errors import UnusableTool, UpstreamError
from connectors.execution.mcp_listing import pages
from connectors.execution.mcp_results import ToolFailed, interpret_mcp
from connectors.execution.mcp_session import ProtocolError, Server, converse
from connectors.execution.request import build_request, secrets_of
from connectors.execution.results import Result
from connectors.execution.sending import HopCheck, Limits
from connectors.mcp_binding import McpBinding
from connectors.models import Connector, Tool

_RESULT: TypeAdapter[CallToolResult | InputRequiredResult] = TypeAdapter(CallToolResult | InputRequiredResult)
# The protocol has no code for it: some servers answer so as an error, others as a failed result.
_UNKNOWN_TOOL = re.compile(r"\b(unknown tool|tool\b.{0,130}\bnot found|no such tool)\b", re.IGNORECASE)
_STALE = (UNSUPPORTED_PROTOCOL_VERSION, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS)
"""What a server answers, without having run anything, to a call that a newer reading of its catalog would put right."""
_OTHER_ERA = (UNSUPPORTED_PROTOCOL_VERSION, METHOD_NOT_FOUND)


def call(tool: Tool, arguments: Mapping[str, Any], credential: Mapping[str, Any], *, hop_check: HopCheck) -> Result:
    """`arguments` fit the tool's schema. Raises Refusal, and what `hop_check` raises."""
    binding = McpBinding.from_json(tool.binding)
    server = server_of(tool.connector, credential, protocol_version=binding.protocol_version)
    request = CallToolRequest(params=CallToolRequestParams(name=binding.tool, arguments=dict(arguments)))
    refresh = partial(ask_for_refresh, tool.connector)
    try:
        result = _converse(server, request, hop_check, refresh)
        return interpret_mcp(result, host=server.host, secrets=server.secrets)
    except (ProtocolError, ToolFailed) as error:
        if _is_stale(error):
            refresh()
        raise


def server_of(connector: Connector, credential: Mapping[str, Any], *, protocol_version: str = "") -> Server:
    """The connector's server, with the account's credential in its headers. Raises NeedsReauth, UnusableTool."""
    auth = connector.auth_scheme
    return Server(
        url=connector.base_url,
        headers=_headers(connector.base_url, auth, credential),
        secrets=secrets_of(auth, credential),
        protocol_version=protocol_version,
    )


def _headers(url: str, auth: AuthScheme, credential: Mapping[str, Any]) -> dict[str, str]:
    """Those of a request of the same account to an HTTP API, but for what the protocol's client says itself."""
    if any(part.kind is AuthKind.API_KEY_QUERY for part in auth.parts):
        raise UnusableTool("its connector sends the API key in the address, which is not allowed for MCP servers")
    bound = BoundRequest(method="POST", path="/")
    request = build_request(
        bound, base_url=url, auth=auth, credential=credential, user_agent=f"elaichi/{settings.VERSION}"
    )
    return {name: value for name, value in request.headers.items() if name not in ("accept", "host", "content-length")}


def _converse(
    server: Server, request: CallToolRequest, hop_check: HopCheck, on_changed_tools: Callable[[], None]
) -> CallToolResult:
    """In the era in which the server's catalog was read; where it has left that, in the one it names."""
    ask = partial(
        converse,
        work=partial(_call_tool, request),
        hop_check=hop_check,
        limits=Limits(total=settings.OUTBOUND_SECONDS),
        on_changed_tools=on_changed_tools,
    )
    try:
        answer = ask(server)
    except ProtocolError as error:
        if not server.protocol_version or error.rpc_code not in _OTHER_ERA:
            raise
        answer = ask(replace(server, protocol_version=""))
    if isinstance(answer, InputRequiredResult):
        raise UpstreamError(f"{server.host} asks something back before it answers, which is not possible here.")
    return answer


async def _call_tool(request: CallToolRequest, client: Client) -> CallToolResult | InputRequiredResult:
    """The client's own `call_tool` lists the server's tools after every call, to check the result by its schema."""
    try:
        return await client.session.send_request(request, _RESULT)
    except MCPError as error:
        if error.code != HEADER_MISMATCH:
            raise
    # Some tools want arguments repeated in headers, which the client knows how to do once it has seen their schemas.
    async for page in pages(client):
        if any(tool.name == request.params.name for tool in page):
            break
    return await client.session.send_request(request, _RESULT)


def _is_stale(error: ProtocolError | ToolFailed) -> bool:
    return (isinstance(error, ProtocolError) and error.rpc_code in _STALE) or bool(_UNKNOWN_TOOL.search(error.said))
