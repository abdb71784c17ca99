"""Reads a document in our own format into a catalog."""

from collections.abc import Mapping
from typing import Any

from connectors.auth_scheme import AuthScheme
from connectors.binding import Binding
from connectors.catalog.document import Catalog, CatalogError, CatalogTool
from connectors.catalog.manifest.checking import check
from connectors.catalog.manifest.published import VERSION
from connectors.mcp_binding import McpBinding

KEY = "elaichi_catalog"

type Node = Mapping[str, Any]


def is_manifest(document: Node) -> bool:
    return KEY in document


def read_manifest(document: Node) -> Catalog:
    """Takes a loaded document at its word in nothing. Raises CatalogError, which names the place of what is wrong."""
    if document.get(KEY) != VERSION or isinstance(document.get(KEY), bool):
        raise CatalogError(f"Catalogs of version {document.get(KEY)!r} cannot be read here; version {VERSION} can.")
    check(document)
    connector = document["connector"]
    return Catalog(
        title=connector["label"],
        version="",
        base_url=connector["base_url"].rstrip("/"),
        auth_schemes=tuple(AuthScheme.from_json(it) for it in connector.get("auth_schemes", ())),
        tools=tuple(_tool(it) for it in document["tools"]),
        kind=connector["kind"],
        slug=connector["slug"],
        label=connector["label"],
        aliases=tuple(connector.get("aliases", ())),
        hosts=tuple(connector.get("hosts", ())),
    )


def _tool(node: Node) -> CatalogTool:
    return CatalogTool(
        name=node["name"],
        operation=node["operation"],
        description=node["description"],
        input_schema=node["input_schema"],
        annotations=node["annotations"],
        binding=_binding(node["binding"]),
        deprecated=node.get("deprecated", False),
    )


def _binding(node: Node) -> Binding | McpBinding:
    if "kind" in node:
        return McpBinding.from_json(dict(node))
    body = node.get("body")
    whole = {"parameters": [], "headers": [], "base_url": "", **node}
    return Binding.from_json(
        whole | {"body": {"properties": [], **body, "encodings": _encodings(body)} if body else None}
    )


def _encodings(body: Node) -> list[Node]:
    return [{"headers": [], **encoding} for encoding in body.get("encodings", ())]
