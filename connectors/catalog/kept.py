"""A catalog as JSON, for what cannot be read twice alike: a remote MCP server says something else tomorrow."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from connectors.auth_scheme import AuthScheme
from connectors.catalog.document import Catalog, CatalogTool, SkippedOperation
from connectors.mcp_binding import McpBinding


def to_json(catalog: Catalog) -> bytes:
    """Of a remote MCP server's catalog."""
    return json.dumps(asdict(catalog)).encode()


def from_json(data: bytes) -> Catalog:
    """The inverse of `to_json`."""
    kept = json.loads(data)
    return Catalog(
        **kept
        | {
            "auth_schemes": tuple(map(AuthScheme.from_json, kept["auth_schemes"])),
            "tools": tuple(map(_tool, kept["tools"])),
            "skipped": tuple(SkippedOperation(**it) for it in kept["skipped"]),
            "notes": tuple(kept["notes"]),
            "aliases": tuple(kept["aliases"]),
            "hosts": None if kept["hosts"] is None else tuple(kept["hosts"]),
        }
    )


def _tool(kept: Mapping[str, Any]) -> CatalogTool:
    return CatalogTool(**{**kept, "binding": McpBinding.from_json(kept["binding"])})
