"""Which stored tool each tool of a catalog is: the same operation, also where its product has renamed it.

1. A stored tool of the same name that is the same operation.
2. Of those left over, the same operation under another name: by how the document names it, else by where its requests
   go. Only where that is clear, with one such tool on each side: documents exist that use an id twice.
3. Of those left over, a stored tool of the same name, whose operation is another one now.

Names come last, because they move: an operation that is new may take the name that another had, and that one the name
of a third. By name alone each would then be taken for the other, and a rule for one would hold for the other.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

from connectors.catalog.document import CatalogTool
from connectors.models import Tool

type Key = Hashable | None
type KeyOf = Callable[[Tool | CatalogTool], Key]


def pair(stored: Iterable[Tool], wanted: Iterable[CatalogTool]) -> dict[str, Tool]:
    """The stored tool that becomes the wanted one, by the wanted one's name; what is missing here is new."""
    old = {tool.name: tool for tool in stored}
    new = {tool.name: tool for tool in wanted}
    found: dict[str, Tool] = {}

    def take(pairs: Iterable[tuple[str, str]]) -> None:
        for old_name, new_name in list(pairs):
            found[new_name] = old.pop(old_name)
            del new[new_name]

    take((name, name) for name in old if name in new and _is_same_operation(old[name], new[name]))
    for key in (_operation, _address, _path):
        take(_clear_pairs(old, new, key))
    take((name, name) for name in old if name in new)
    return found


def _is_same_operation(stored: Tool, wanted: CatalogTool) -> bool:
    return any(key(stored) is not None and key(stored) == key(wanted) for key in (_operation, _path))


def _clear_pairs(old: Mapping[str, Tool], new: Mapping[str, CatalogTool], key_of: KeyOf) -> list[tuple[str, str]]:
    ours, theirs = _names_by_key(old, key_of), _names_by_key(new, key_of)
    both = [(ours[key], theirs[key]) for key in ours if key in theirs]
    return [(mine[0], yours[0]) for mine, yours in both if len(mine) == len(yours) == 1]


def _names_by_key(tools: Mapping[str, Tool] | Mapping[str, CatalogTool], key_of: KeyOf) -> dict[Key, list[str]]:
    names: dict[Key, list[str]] = {}
    for name, tool in tools.items():
        if (key := key_of(tool)) is not None:
            names.setdefault(key, []).append(name)
    return names


def _operation(tool: Tool | CatalogTool) -> Key:
    return tool.operation or None


def _address(tool: Tool | CatalogTool) -> Key:
    binding = _binding(tool)
    return (binding.get("base_url"), *path) if (path := _path_of(binding)) else None


def _path(tool: Tool | CatalogTool) -> Key:
    return _path_of(_binding(tool))


def _path_of(binding: Mapping[str, Any]) -> tuple[str, str] | None:
    """None for what is no request of an HTTP API."""
    method, path = binding.get("method"), binding.get("path")
    return (method, path) if method and path else None


def _binding(tool: Tool | CatalogTool) -> Mapping[str, Any]:
    return tool.binding if isinstance(tool, Tool) else tool.binding.to_json()
