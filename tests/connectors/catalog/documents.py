"""Small OpenAPI documents, written for one oddity each."""

import json
from typing import Any

from connectors.binding import Binding
from connectors.catalog.document import Catalog, CatalogTool
from connectors.catalog.openapi import read_openapi

type Node = dict[str, Any]

SOURCE = "https://vendor.example/specs/openapi.json"


def document(paths: Node, **root: Any) -> Node:
    return {"openapi": "3.0.3", "info": {"title": "Desk", "version": "1"}, "paths": paths, **root}


def read(paths: Node, *, source: str = SOURCE, **root: Any) -> Catalog:
    return read_openapi(json.dumps(document(paths, **root)).encode(), source=source)


def read_one(
    operation: Node,
    *,
    method: str = "post",
    path: str = "/tickets",
    path_item: Node | None = None,
    **root: Any,
) -> CatalogTool:
    """The only tool of a document with this one operation."""
    catalog = read({path: {**(path_item or {}), method: operation}}, **root)
    assert not catalog.skipped, catalog.skipped
    (tool,) = catalog.tools
    return tool


def json_body(schema: Any, *, media_type: str = "application/json", required: bool = True) -> Node:
    return {"requestBody": {"required": required, "content": {media_type: {"schema": schema}}}}


def query(name: str, schema: Any = None, **more: Any) -> Node:
    return {"name": name, "in": "query", "schema": {"type": "string"} if schema is None else schema, **more}


def http(tool: CatalogTool) -> Binding:
    """How the tool is called: its binding, which for a tool of an OpenAPI document is one of HTTP."""
    assert isinstance(tool.binding, Binding)
    return tool.binding
