"""The difference between the tools that a connector has and those of a catalog, as rows to write and what is new."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import Any

from connectors.catalog.changes import describe_changes
from connectors.catalog.document import CatalogTool
from connectors.catalog.pairing import pair
from connectors.curation.names import advertised_name
from connectors.models import Connector, Tool

TOOL_FIELDS = ("operation", "description", "input_schema", "annotations", "binding", "deprecated")


@dataclass(frozen=True, kw_only=True)
class Difference:
    """The tools as they are to be, and those to delete; the rows hold the catalog's values already."""

    added: tuple[Tool, ...]
    changed: tuple[Tool, ...]
    removed: tuple[Tool, ...]
    unchanged: tuple[Tool, ...]
    renamed: Mapping[str, Tool]
    """By their former names; also among the changed ones."""
    changes: Mapping[str, tuple[str, ...]]
    """What is different about each changed tool, by name."""

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.changed or self.removed)

    @property
    def current(self) -> tuple[Tool, ...]:
        return (*self.added, *self.changed, *self.unchanged)

    @property
    def drops_most(self) -> bool:
        """More than half of the tools there are; one that is renamed stays."""
        return len(self.removed) > len(self.changed) + len(self.unchanged)


def compare(connector: Connector, stored: Iterable[Tool], catalog_tools: Iterable[CatalogTool]) -> Difference:
    rows = list(stored)
    wanted = list(_told_apart(connector.slug, catalog_tools))
    kept = pair(rows, wanted)
    former = {name: row.name for name, row in kept.items()}
    changes = {tool.name: _apply(kept[tool.name], tool) for tool in wanted if tool.name in kept}
    staying = {row.pk for row in kept.values()}
    return Difference(
        added=tuple(_new(connector, tool) for tool in wanted if tool.name not in kept),
        changed=tuple(row for name, row in kept.items() if changes[name]),
        removed=tuple(row for row in rows if row.pk not in staying),
        unchanged=tuple(row for name, row in kept.items() if not changes[name]),
        renamed={old: kept[name] for name, old in former.items() if old != name},
        changes={name: said for name, said in changes.items() if said},
    )


def _told_apart(slug: str, tools: Iterable[CatalogTool]) -> Iterator[CatalogTool]:
    """The tools, one renamed if two would be advertised alike: `get_page` and `notion_get_page` of Notion."""
    taken: set[str] = set()
    for tool in sorted(tools, key=lambda it: it.name):
        names = chain([tool.name], (f"{tool.name}_{number}" for number in count(2)))
        name = next(it for it in names if advertised_name(slug, it) not in taken)
        taken.add(advertised_name(slug, name))
        yield replace(tool, name=name)


def _new(connector: Connector, tool: CatalogTool) -> Tool:
    row = Tool(connector=connector, name=tool.name)
    _apply(row, tool)
    return row


def _apply(row: Tool, tool: CatalogTool) -> tuple[str, ...]:
    """Writes the catalog's values into the row; what that made different."""
    before, former = _facts(row), row.name
    row.name = tool.name
    for field in TOOL_FIELDS:
        setattr(row, field, tool.binding.to_json() if field == "binding" else getattr(tool, field))
    renamed = (f"renamed from {former}",) if former != row.name else ()
    return renamed + describe_changes(before, _facts(row))


def _facts(row: Tool) -> dict[str, Any]:
    return {field: getattr(row, field) for field in TOOL_FIELDS}
