"""Reads the tools that a remote MCP server lists into a catalog."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import jsonschema_rs
import mcp_types
from mcp import Client

from connectors.auth_scheme import AuthScheme
from connectors.catalog.document import Catalog, CatalogTool, SkippedOperation
from connectors.catalog.mcp.schemas import object_schema
from connectors.catalog.naming import OperationId, tool_names
from connectors.catalog.text import plain_text
from connectors.execution.mcp_listing import pages
from connectors.execution.mcp_session import Server, converse
from connectors.execution.sending import HopCheck, Limits
from connectors.mcp_binding import KIND, McpBinding

MAX_TOOLS = 5000
MAX_DESCRIPTION = 1024
MAX_TITLE = 120
MAX_OPERATION = 300
_LIMITS = Limits(total=60.0, max_bytes=64 * 1024 * 1024)


@dataclass(frozen=True, kw_only=True)
class _Listing:
    title: str
    version: str
    protocol_version: str
    tools: tuple[mcp_types.Tool, ...]
    is_cut: bool


def read_mcp(server: Server, *, auth_schemes: tuple[AuthScheme, ...], hop_check: HopCheck) -> Catalog:
    """The catalog of the server, to the last page. Raises Refusal, and what `hop_check` raises.

    A tool whose schema cannot check arguments is skipped with the reason. `mcp_transport.Unauthorized` says that the
    server lists its tools to accounts alone.
    """
    listing = converse(server, _list, hop_check=hop_check, limits=_LIMITS)
    read = [_read(tool, name, listing) for tool, name in zip(listing.tools, _names(listing.tools), strict=True)]
    notes = (f"The server lists more than {MAX_TOOLS} tools; the others were left out.",) if listing.is_cut else ()
    return Catalog(
        kind=KIND,
        title=listing.title,
        version=listing.version,
        base_url=server.url,
        auth_schemes=auth_schemes,
        tools=tuple(it for it in read if isinstance(it, CatalogTool)),
        skipped=tuple(it for it in read if isinstance(it, SkippedOperation)),
        notes=notes,
    )


async def _list(client: Client) -> _Listing:
    tools: dict[str, mcp_types.Tool] = {}
    async for page in pages(client):
        tools |= {tool.name: tool for tool in page if tool.name not in tools}
        if len(tools) > MAX_TOOLS:
            break
    info = client.server_info
    return _Listing(
        title=(info.title or info.name) if info else "",
        version=info.version if info else "",
        protocol_version=client.protocol_version,
        tools=tuple(tools.values())[:MAX_TOOLS],
        is_cut=len(tools) > MAX_TOOLS,
    )


def _names(tools: Sequence[mcp_types.Tool]) -> Iterable[str]:
    """A server's own name for a tool, in our spelling; its method stands for nothing but what a tool is."""
    return tool_names(
        [
            OperationId(operation_id=tool.name, method="TOOL", path=f"/{tool.name}", summary=tool.title or "")
            for tool in tools
        ]
    )


def _read(tool: mcp_types.Tool, name: str, listing: _Listing) -> CatalogTool | SkippedOperation:
    try:
        return _tool(tool, name, listing)
    except (ValueError, RecursionError) as error:
        reason = str(error).partition("\n")[0][:200]
        label = tool.name.replace("\0", "")[:MAX_OPERATION]
        return SkippedOperation(operation=label, reason=f"its definition is not valid: {reason}")


def _tool(tool: mcp_types.Tool, name: str, listing: _Listing) -> CatalogTool:
    """Raises ValueError for what cannot check arguments or cannot be stored, RecursionError for what is too deep."""
    schema = object_schema(tool.input_schema)
    jsonschema_rs.Draft202012Validator(schema, retriever=_refuse)
    if "\\u0000" in json.dumps([tool.name, tool.title, tool.description, schema], allow_nan=False):
        raise ValueError("it holds a NUL character")
    return CatalogTool(
        name=name,
        operation=tool.name[:MAX_OPERATION],
        description=plain_text(tool.description or tool.title or "", MAX_DESCRIPTION),
        input_schema=schema,
        annotations=_annotations(tool, name),
        binding=McpBinding(tool=tool.name, protocol_version=listing.protocol_version),
    )


def _annotations(tool: mcp_types.Tool, name: str) -> dict[str, Any]:
    """All five; where the server says nothing, the specification's defaults, which are the cautious ones."""
    hints = tool.annotations or mcp_types.ToolAnnotations()
    reads = hints.read_only_hint is True
    title = plain_text(tool.title or hints.title or "", MAX_TITLE)
    return {
        "title": title or name.replace("_", " ").capitalize(),
        "readOnlyHint": reads,
        "destructiveHint": not reads if hints.destructive_hint is None else hints.destructive_hint,
        "idempotentHint": reads if hints.idempotent_hint is None else hints.idempotent_hint,
        "openWorldHint": hints.open_world_hint is not False,
    }


def _refuse(uri: str) -> Any:
    raise ValueError(f"{uri} is outside the schema")
