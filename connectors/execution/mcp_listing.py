"""The tools that a remote MCP server lists, page by page."""

from collections.abc import AsyncIterator

from mcp import Client
from mcp_types import Tool

MAX_PAGES = 100


async def pages(client: Client) -> AsyncIterator[list[Tool]]:
    """Each page's tools, to the end; a cursor that comes again is one, since it would lead round in a circle."""
    cursor: str | None = None
    seen: set[str] = set()
    for _ in range(MAX_PAGES):
        page = await client.list_tools(cursor=cursor)
        yield page.tools
        cursor = page.next_cursor
        if cursor is None or cursor in seen:
            return
        seen.add(cursor)
