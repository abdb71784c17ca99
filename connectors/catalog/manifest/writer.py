"""Writes a connector as a document in our own format: what the product is, and nothing of who uses it how.

No credential and no account, no rule, nothing that somebody switched off, no address that a catalog was fetched from:
those are the organization's own, and an address may hold a token.
"""

import json
from typing import Any

from connectors.auth_scheme import AuthScheme
from connectors.binding import Binding
from connectors.catalog.document import CatalogError
from connectors.catalog.manifest.checking import check
from connectors.catalog.manifest.published import VERSION
from connectors.catalog.openapi.loading import load_document
from connectors.mcp_binding import McpBinding
from connectors.models import Connector, Tool


def write_manifest(connector: Connector) -> str:
    """JSON text, the same for the same connector; imported elsewhere and exported there, the same bytes.

    Raises CatalogError where the connector holds what the format does not admit, such as an address with a password.
    """
    document = {
        "elaichi_catalog": VERSION,
        "connector": _connector(connector),
        "tools": [_tool(tool) for tool in connector.tools.order_by("name")],
    }
    # As a reader will have it: within its limits, its numbers and text as it takes them.
    plain = load_document(json.dumps(document).encode())
    check(plain)
    return json.dumps(plain, indent=2, ensure_ascii=False) + "\n"


def _connector(connector: Connector) -> dict[str, Any]:
    return {
        "slug": connector.slug,
        "label": connector.label,
        "aliases": connector.aliases,
        "kind": connector.kind,
        "base_url": connector.base_url,
        "hosts": sorted(connector.hosts),
        "auth_schemes": [scheme.to_json() for scheme in _auth_schemes(connector)],
    }


def _auth_schemes(connector: Connector) -> list[AuthScheme]:
    """The one in use first, which an import takes."""
    try:
        offered = [AuthScheme.from_json(it) for it in connector.auth_schemes]
        used = [connector.auth_scheme] if connector.auth else []
    except (TypeError, KeyError, ValueError):
        raise CatalogError(f"How {connector.label} authenticates cannot be read; correct it in the admin.") from None
    return list(dict.fromkeys([*used, *offered]))


def _tool(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "operation": tool.operation,
        "description": tool.description,
        "deprecated": tool.deprecated,
        "annotations": _in_order(tool.annotations),
        "input_schema": _in_order(tool.input_schema),
        "binding": _binding(tool.binding),
    }


def _binding(stored: dict[str, Any]) -> dict[str, Any]:
    """Read and written, so that one that was stored by an earlier version has what this one knows."""
    read = McpBinding.from_json(stored) if "kind" in stored else Binding.from_json(stored)
    return read.to_json()


def _in_order(value: Any) -> Any:
    """Objects by key, however the database keeps them."""
    if isinstance(value, dict):
        return {key: _in_order(value[key]) for key in sorted(value)}
    return [_in_order(item) for item in value] if isinstance(value, list) else value
