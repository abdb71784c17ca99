"""A small product whose catalog changes: Desk, its tools one by one, and imports of what they became."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from accesscontrol.models import Organization, Surface
from connectors.binding import Binding
from connectors.catalog.document import Catalog, CatalogTool
from connectors.catalog.importer import ImportReport, import_catalog
from tests.connectors.catalog.documents import json_body, query, read

DESK = read(
    {
        "/tickets": {
            "get": {"operationId": "listTickets", "parameters": [query("limit", {"type": "number", "default": 1.5})]},
            "post": {"operationId": "createTicket", **json_body({"type": "object", "properties": {"title": {}}})},
        },
        "/tickets/{id}": {"delete": {"operationId": "deleteTicket"}, "get": {"operationId": "getTicket"}},
    },
    servers=[{"url": "https://desk.example/v1"}],
    components={"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
)
TOOLS = {tool.name: tool for tool in DESK.tools}
CREATE, DELETE, GET, LIST = (TOOLS[name] for name in ("create_ticket", "delete_ticket", "get_ticket", "list_tickets"))


def desk(*tools: CatalogTool) -> Catalog:
    return replace(DESK, tools=tools)


def bring_in(organization: Organization, catalog: Catalog = DESK, **arguments: Any) -> ImportReport:
    arguments = {"slug": "desk", "label": "Desk", "surface": Surface.SYSTEM} | arguments
    return import_catalog(organization=organization, catalog=catalog, **arguments)


def renamed(tool: CatalogTool, name: str, **changes: Any) -> CatalogTool:
    """The same request, under another name and as the document now calls it."""
    return replace(tool, name=name, operation=changes.pop("operation", name), **changes)


def request(tool: CatalogTool, **changes: Any) -> Binding:
    """The tool's request with these changes."""
    assert isinstance(tool.binding, Binding)
    return replace(tool.binding, **changes)


def others(*left_out: CatalogTool) -> Iterable[CatalogTool]:
    names = {tool.name for tool in left_out}
    return (tool for tool in DESK.tools if tool.name not in names)
