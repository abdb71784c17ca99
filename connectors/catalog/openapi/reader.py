"""Reads an OpenAPI document into a catalog."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from connectors.catalog.document import Catalog, CatalogError, CatalogTool, SkippedOperation
from connectors.catalog.naming import tool_names
from connectors.catalog.openapi.loading import load_document
from connectors.catalog.openapi.operations import FoundOperation, ToolReader, find_operations
from connectors.catalog.openapi.references import Document
from connectors.catalog.openapi.security import auth_schemes
from connectors.catalog.openapi.servers import document_base_url
from connectors.catalog.openapi.swagger2 import as_openapi_3, is_swagger_2

type Progress = Callable[[Sequence[FoundOperation]], Iterable[FoundOperation]]


def read_openapi(data: bytes, *, source: str, progress: Progress = iter) -> Catalog:
    """The catalog of an OpenAPI 2.0, 3.0 or 3.1 document, JSON or YAML.

    `source` is where the document came from: its servers may be relative to that. `progress` sees the
    operations go by. An operation that cannot become a tool is skipped with the reason; a document that
    holds none that can, or cannot be read as a whole, raises CatalogError.
    """
    return read_root(load_document(data), source=source, progress=progress)


def read_root(root: dict[str, Any], *, source: str, progress: Progress = iter) -> Catalog:
    """As `read_openapi`, of a document that is loaded already."""
    _require_known_version(root)
    document = as_openapi_3(root) if is_swagger_2(root) else Document(root)
    tools, skipped = _read_tools(document, source, progress)
    if not tools:
        first = f"; the first, {skipped[0].operation}: {skipped[0].reason}" if skipped else ""
        raise CatalogError(f"The document holds no operation that can become a tool{first}.")
    info = document.root.get("info")
    described = info if isinstance(info, dict) else {}
    return Catalog(
        title=str(described.get("title") or ""),
        version=str(described.get("version") or ""),
        base_url=document_base_url(document.root, source),
        auth_schemes=auth_schemes(document),
        tools=tuple(tools),
        skipped=tuple(skipped),
        notes=tuple(f"The reference {it!r} leads to nothing; anything is admitted there." for it in document.dangling),
    )


def _require_known_version(root: dict[str, Any]) -> None:
    if not is_swagger_2(root):
        _require_openapi_3(root)
    if not isinstance(root.get("paths", {}), dict):
        raise CatalogError("The document's `paths` is no mapping.")


def _require_openapi_3(root: dict[str, Any]) -> None:
    if "swagger" in root:
        raise CatalogError(f"Swagger {root['swagger']} documents cannot be read; OpenAPI 2.0, 3.0 and 3.1 can.")
    version = str(root.get("openapi", ""))
    if not version:
        raise CatalogError("The document has no `openapi` version, so it is no OpenAPI document.")
    # 3.2 adds to 3.1 and changes nothing that is read here.
    if not version.startswith("3"):
        raise CatalogError(f"OpenAPI {version} documents cannot be read; OpenAPI 2.0, 3.0 and 3.1 can.")


def _read_tools(
    document: Document, source: str, progress: Progress
) -> tuple[list[CatalogTool], list[SkippedOperation]]:
    found = list(find_operations(document))
    operations = [it for it in found if isinstance(it, FoundOperation)]
    names = tool_names([it.identity for it in operations])
    reader = ToolReader(document, source)
    results = [reader.read(it, name) for it, name in zip(progress(operations), names, strict=True)]
    tools = [it for it in results if isinstance(it, CatalogTool)]
    return tools, [it for it in [*found, *results] if isinstance(it, SkippedOperation)]
