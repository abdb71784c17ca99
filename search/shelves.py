"""What a pool is put together from: shelves of tools, those that a rule withholds apart."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from uuid import UUID

from accesscontrol.policy import Decision, ToolRef
from connectors.curation.advertised import ToolEntry
from connectors.reach import ConnectedProduct


@dataclass(frozen=True, slots=True)
class RestrictedTool:
    """A tool of a connected product that a rule withholds: its name and why, never its schema."""

    name: str
    connector_label: str
    ref: ToolRef
    decision: Decision


@dataclass(frozen=True, slots=True)
class Stock:
    """What a policy makes of one connector's tools, by advertised name and in the order of the connector's own."""

    visible: Mapping[str, ToolEntry]
    restricted: Mapping[str, tuple[ToolEntry, Decision]]

    def __len__(self) -> int:
        return len(self.visible) + len(self.restricted)

    @property
    def names(self) -> set[str]:
        return {*self.visible, *self.restricted}

    def within(self, toolbox_id: UUID) -> "Stock":
        return Stock(
            {name: entry for name, entry in self.visible.items() if _is_in(toolbox_id, entry)},
            {name: held for name, held in self.restricted.items() if _is_in(toolbox_id, held[0])},
        )


@dataclass(frozen=True, slots=True)
class Shelf:
    """What a caller has of one connector: its own tools, or those frozen of it that share their accounts."""

    product: ConnectedProduct
    stock: Stock
    frozen: bool = False


class Tools(Mapping[str, tuple[ConnectedProduct, ToolEntry]]):
    """The callable tools of all shelves. They stay there: a pool of ten thousand copies none of them."""

    def __init__(self, shelves: Sequence[Shelf]) -> None:
        self._shelves = shelves

    def __getitem__(self, name: str) -> tuple[ConnectedProduct, ToolEntry]:
        for shelf in self._shelves:
            if name in shelf.stock.visible:
                return shelf.product, shelf.stock.visible[name]
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(shelf.stock.visible for shelf in self._shelves)

    def __len__(self) -> int:
        return sum(len(shelf.stock.visible) for shelf in self._shelves)


class RestrictedTools(Mapping[str, RestrictedTool]):
    """The withheld tools of all shelves."""

    def __init__(self, shelves: Sequence[Shelf]) -> None:
        self._shelves = shelves

    def __getitem__(self, name: str) -> RestrictedTool:
        for shelf in self._shelves:
            if name in shelf.stock.restricted:
                entry, decision = shelf.stock.restricted[name]
                return RestrictedTool(name, shelf.product.label, entry.ref, decision)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(shelf.stock.restricted for shelf in self._shelves)

    def __len__(self) -> int:
        return sum(len(shelf.stock.restricted) for shelf in self._shelves)


def _is_in(toolbox_id: UUID, entry: ToolEntry) -> bool:
    return entry.frozen is not None and entry.frozen.toolbox_id == toolbox_id
