"""Several documents of one product, read as one catalog."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from urllib.parse import urlsplit

from connectors.binding import Binding
from connectors.catalog.document import Catalog, CatalogError, CatalogTool, SkippedOperation
from connectors.catalog.hosts import own_base_url
from connectors.catalog.naming import MAX_NAME


def joined(catalogs: Sequence[Catalog]) -> Catalog:
    """The first says what the product is called, where it is and of which kind; the others add what they hold.

    A tool of a document with another address goes there. Of two that are the same operation the first counts, the other
    is skipped. Of two that only have the same name the first keeps it, and the other's ends with its document's title:
    so a document that is added at the end renames nothing. Raises CatalogError.
    """
    if len(catalogs) == 1:
        return catalogs[0]
    if any(catalog.kind != "openapi" for catalog in catalogs):
        raise CatalogError("Only documents of HTTP APIs can be joined; a remote MCP server is a connector of its own.")
    home = next((catalog.base_url for catalog in catalogs if catalog.base_url), "")
    placed = [_placed(catalog, home) for catalog in catalogs]
    tools, repeated = _united(placed)
    return replace(
        catalogs[0],
        base_url=home,
        auth_schemes=tuple(dict.fromkeys(scheme for catalog in catalogs for scheme in catalog.auth_schemes)),
        tools=tuple(tools),
        skipped=(*(it for catalog in catalogs for it in catalog.skipped), *repeated),
        notes=tuple(dict.fromkeys(note for catalog in catalogs for note in catalog.notes)),
        hosts=_hosts(placed, home),
    )


def _placed(catalog: Catalog, home: str) -> Catalog:
    """With the address of its document at each tool, where that is not the connector's."""
    if catalog.base_url in ("", home):
        return catalog
    return replace(catalog, tools=tuple(_at(tool, catalog.base_url) for tool in catalog.tools))


def _at(tool: CatalogTool, base_url: str) -> CatalogTool:
    if own_base_url(tool) or not isinstance(tool.binding, Binding):
        return tool
    return replace(tool, binding=replace(tool.binding, base_url=base_url))


def _united(catalogs: Sequence[Catalog]) -> tuple[list[CatalogTool], list[SkippedOperation]]:
    """The tools of all by names of their own, and those of later documents that an earlier one has."""
    tools: dict[str, CatalogTool] = {}
    repeated: list[SkippedOperation] = []
    for catalog in catalogs:
        known = {_request(tool) for tool in tools.values()}
        for tool in catalog.tools:
            if _request(tool) in known:
                repeated.append(SkippedOperation(operation=tool.operation, reason="an earlier document has it"))
                continue
            name = next(it for it in _candidates(tool.name, catalog.title) if it not in tools)
            tools[name] = replace(tool, name=name)
    return list(tools.values()), repeated


def _request(tool: CatalogTool) -> tuple[str, ...]:
    """What makes two of them one."""
    binding = tool.binding.to_json()
    return tuple(str(binding.get(key, "")) for key in ("method", "base_url", "path"))


def _candidates(name: str, title: str) -> Iterator[str]:
    """Names for a tool, best first."""
    yield name
    words = "_".join(re.findall(r"[a-z0-9]+", title.lower()))
    longer = f"{name}_{words}" if words else name
    if words and len(longer) <= MAX_NAME:
        yield longer
    yield from (f"{name[: MAX_NAME - 4]}_{number}" for number in count(2))


def _hosts(catalogs: Sequence[Catalog], home: str) -> tuple[str, ...] | None:
    """What documents of our own declare, and where the tools of the others go; None where that is all there is."""
    if all(catalog.hosts is None for catalog in catalogs):
        return None
    found = {host for catalog in catalogs for host in catalog.hosts or ()}
    urls = {own_base_url(tool) for catalog in catalogs if catalog.hosts is None for tool in catalog.tools}
    urls |= {catalog.base_url for catalog in catalogs}
    found |= {urlsplit(url).netloc.lower() for url in urls if url}
    return tuple(sorted(found - {urlsplit(home).netloc.lower()}))
