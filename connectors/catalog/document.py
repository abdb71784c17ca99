"""What every catalog reader returns: a product's tools as plain values, before anything is stored."""

from dataclasses import dataclass
from typing import Any

from connectors.auth_scheme import AuthScheme
from connectors.binding import Binding
from connectors.mcp_binding import McpBinding


class CatalogError(Exception):
    """The document as a whole cannot be read; the message says what is wrong with it, in one line."""


@dataclass(frozen=True, kw_only=True)
class CatalogTool:
    """One operation. `name` is snake_case without the connector's prefix, unique within its catalog."""

    name: str
    operation: str
    """How the document names it: the operationId, or method and path."""
    description: str
    input_schema: dict[str, Any]
    """JSON Schema 2020-12 with root `type: object` and only local `$ref`s into its own `$defs`."""
    annotations: dict[str, Any]
    """title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint: all five always present."""
    binding: Binding | McpBinding
    deprecated: bool = False


@dataclass(frozen=True, kw_only=True)
class SkippedOperation:
    operation: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Catalog:
    title: str
    version: str
    base_url: str
    """Absolute, without a trailing slash; empty where the document names no usable server."""
    auth_schemes: tuple[AuthScheme, ...] = ()
    tools: tuple[CatalogTool, ...] = ()
    skipped: tuple[SkippedOperation, ...] = ()
    notes: tuple[str, ...] = ()
    """What the document leaves open and how it was taken, in sentences for people."""
    kind: str = "openapi"
    """A `Connector.Kind`: what its tools' bindings are for."""
    slug: str = ""
    """With `label` and `aliases`, what a document of our own says about the connector itself; else empty."""
    label: str = ""
    aliases: tuple[str, ...] = ()
    hosts: tuple[str, ...] | None = None
    """The other hosts that calls may go to; None where the document leaves that to be read from its tools."""
