"""What a fork lacks of its upstream: new tools, changes, conflicts and removals, to be picked one by one.

A tool of a fork keeps a baseline: for each field, a digest of it as it was upstream when it was last taken from there.
A field has changed upstream where it differs there from the baseline, and was edited here where it differs here.

1. Changed upstream and not edited here: a safe change.
2. Changed upstream and edited here: a conflict, unless both have become the same.
3. Else there is nothing to take.

Nothing is taken by itself: a pull takes the items that are picked, and each names exactly what was looked at.
"""

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any

from connectors.models import Connector, Tool

FIELDS = ("name", "operation", "description", "input_schema", "annotations", "binding", "deprecated")


class Kind(StrEnum):
    NEW = "new"
    SAFE = "safe"
    CONFLICT = "conflict"
    REMOVED = "removed"


@dataclass(frozen=True, kw_only=True)
class Item:
    """One thing that can be taken from upstream."""

    kind: Kind
    fields: tuple[str, ...] = ()
    here: Tool | None = None
    upstream: Tool | None = None

    @property
    def tool(self) -> str:
        """Its name here, or for a new one upstream."""
        tool = self.here or self.upstream
        assert tool is not None  # an item is about one or both
        return tool.name

    @property
    def key(self) -> str:
        """What it is picked by. It holds the values of both sides: once either changes, it picks nothing."""
        seen = [[getattr(side, field) for field in FIELDS] for side in (self.here, self.upstream) if side is not None]
        return f"{self.kind}-{digest([self.tool, self.fields, seen])}"


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Each in the order of the tools' names."""

    new: tuple[Item, ...]
    safe: tuple[Item, ...]
    conflicts: tuple[Item, ...]
    removed: tuple[Item, ...]

    @property
    def items(self) -> tuple[Item, ...]:
        return (*self.new, *self.safe, *self.conflicts, *self.removed)


def compare(here: Collection[Tool], upstream: Collection[Tool]) -> Difference:
    pairs = paired(here, upstream)
    taken = {tool.pk for _, tool in pairs}
    kept = {tool.pk for tool, _ in pairs}
    changes = [item for mine, theirs in pairs for item in _changes(mine, theirs)]
    new = [Item(kind=Kind.NEW, upstream=tool) for tool in upstream if tool.pk not in taken]
    removed = [Item(kind=Kind.REMOVED, here=tool) for tool in here if tool.upstream_name and tool.pk not in kept]
    return Difference(
        new=_ordered(new),
        safe=_ordered(item for item in changes if item.kind is Kind.SAFE),
        conflicts=_ordered(item for item in changes if item.kind is Kind.CONFLICT),
        removed=_ordered(removed),
    )


def paired(here: Collection[Tool], upstream: Collection[Tool]) -> list[tuple[Tool, Tool]]:
    """Each tool of the fork with what it was taken from, by its name there or one that it had there."""
    present = {tool.name: tool for tool in upstream}
    pairs = [(tool, present.pop(tool.upstream_name)) for tool in here if tool.upstream_name in present]
    former = {name: tool for tool in present.values() for name in tool.former_names}
    known = {tool.pk for tool, _ in pairs}
    return pairs + [(it, former[it.upstream_name]) for it in here if it.pk not in known and it.upstream_name in former]


def copied(tool: Tool, into: Connector, name: str) -> Tool:
    """The tool as a fork takes it, under this name, not saved yet."""
    copy = Tool(connector=into, enabled=tool.enabled, **{field: getattr(tool, field) for field in FIELDS})
    copy.name = name
    settle(copy, tool, FIELDS)
    copy.know_as(tool.name, *tool.former_names)
    return copy


def settle(here: Tool, upstream: Tool, fields: Iterable[str]) -> None:
    """Keeps that these fields were taken, or looked at and found the same."""
    here.upstream_name = upstream.name
    here.baseline = {**here.baseline, **{field: digest(getattr(upstream, field)) for field in fields}}


def digest(value: Any) -> str:
    """Of the value as JSON, where keys have no order."""
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]


def agreed(here: Tool, upstream: Tool) -> list[str]:
    """The fields that both have come to hold the same in, and whose baseline does not say so yet."""
    return [
        field
        for field in FIELDS
        if getattr(here, field) == getattr(upstream, field)
        and here.baseline.get(field) != digest(getattr(upstream, field))
    ]


def _changes(here: Tool, upstream: Tool) -> Iterator[Item]:
    """Safe changes are one item, apart from the name: calls go by that. Of conflicts each field is one."""
    changed = [field for field in FIELDS if _differs(here, upstream, field)]
    safe = [field for field in changed if digest(getattr(here, field)) == here.baseline.get(field)]
    if "name" in safe:
        yield Item(kind=Kind.SAFE, fields=("name",), here=here, upstream=upstream)
    if others := tuple(field for field in safe if field != "name"):
        yield Item(kind=Kind.SAFE, fields=others, here=here, upstream=upstream)
    for field in changed:
        if field not in safe:
            yield Item(kind=Kind.CONFLICT, fields=(field,), here=here, upstream=upstream)


def _differs(here: Tool, upstream: Tool, field: str) -> bool:
    """It has changed upstream, and not to what it is here."""
    theirs = getattr(upstream, field)
    return digest(theirs) != here.baseline.get(field) and digest(theirs) != digest(getattr(here, field))


def _ordered(items: Iterable[Item]) -> tuple[Item, ...]:
    return tuple(sorted(items, key=lambda item: (item.tool, item.fields)))
