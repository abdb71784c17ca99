"""A caller's pool: every advertised tool they may call now, ranked by an index over just those tools.

A pool is put together from parts that others have too. A connector's tools are read once for everybody; which of them a
policy admits is decided once for everybody to whom the same rules about that connector apply; their terms are extracted
once for everybody who sees the same of it; and one index serves all who see the same of everything. So a new version
that changed nothing for a caller costs them some look-ups, and the index of one that did is assembled by the first
search: a call needs none.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import chain

from django.conf import settings

from accesscontrol.caller import Caller
from accesscontrol.permissions import Permission, Scope
from accesscontrol.policy import Decision, ToolRef
from accesscontrol.resolver import Checkpoint, decide_each, policy_of
from accesscontrol.versioned_cache import VersionedCache
from connectors.curation.advertised import AdvertisedTool, ToolEntry
from connectors.curation.merging import describe
from connectors.curation.names import MAX_LENGTH
from connectors.reach import ConnectedProduct, connectable_apps, connected_products
from search.ranking import PROFILES, AppName, ConnectorTerms, PoolIndex, ToolDocument


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


@dataclass(frozen=True, slots=True)
class Shelf:
    """What a caller has of one connector."""

    product: ConnectedProduct
    stock: Stock


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


@dataclass(frozen=True, kw_only=True)
class Pool:
    """`tools` are callable; `restricted` are named to the caller and can be called by no path."""

    version: int
    shelves: tuple[Shelf, ...]
    tools: Tools
    restricted: RestrictedTools
    app_labels: tuple[str, ...]
    known_apps: tuple[AppName, ...]
    """What the caller has or could connect; never what a rule hides from them."""

    @cached_property
    def index(self) -> PoolIndex:
        return _shared_index(self.shelves, self.known_apps, settings.SEARCH_PROFILE)

    def advertised(self, name: str) -> AdvertisedTool | None:
        """The tool of this name as this caller has it."""
        found = self.tools.get(name)
        if found is None:
            return None
        product, entry = found
        return AdvertisedTool(name=name, entry=entry, connector_label=product.label, accounts=product.accounts)


_stocks: VersionedCache[Stock] = VersionedCache(size=5_000)
_indexes: VersionedCache[PoolIndex] = VersionedCache(size=200)
_pools: VersionedCache[Pool] = VersionedCache(size=500)
_terms: VersionedCache[ConnectorTerms] = VersionedCache(size=2_000)


def pool_of(caller: Caller) -> Pool:
    """The caller's pool at the version read with their grant. Without `tool:execute` or `mcp:tools` it is empty."""
    if not (caller.may(Permission.TOOL_EXECUTE) and Scope.TOOLS in caller.scopes):
        return _assemble(caller, ())
    key = (caller.organization.pk, caller.member.pk)
    return _pools.get(key, caller.version, lambda: _assemble(caller, connected_products(caller)))


def index_of(pool: Pool, profile: str | None) -> PoolIndex:
    """The pool's index, or one by another profile's rule."""
    if profile is None or profile == settings.SEARCH_PROFILE:
        return pool.index
    return _index(pool.shelves, pool.known_apps, profile)


def _assemble(caller: Caller, products: Sequence[ConnectedProduct]) -> Pool:
    shelves = tuple(_shelves(caller, products))
    return Pool(
        version=caller.version,
        shelves=shelves,
        tools=Tools(shelves),
        restricted=RestrictedTools(shelves),
        app_labels=tuple(sorted({shelf.product.label for shelf in shelves if shelf.stock.visible})),
        known_apps=tuple(AppName(label, aliases) for label, aliases in connectable_apps(caller)),
    )


def _shelves(caller: Caller, products: Sequence[ConnectedProduct]) -> list[Shelf]:
    taken: set[str] = set()
    shelves = []
    for product in products:
        stock = _stock_of(caller, product)
        if len(stock) < len(product.tools) or not taken.isdisjoint(stock.names):
            stock = _stock(caller, product, taken)
        taken |= stock.names
        shelves.append(Shelf(product, stock))
    return shelves


def _stock_of(caller: Caller, product: ConnectedProduct) -> Stock:
    """The connector's stock where no other connector has taken a name of it."""
    if not product.tools:
        return Stock({}, {})
    ref = product.tools[0].ref
    policy = policy_of(caller.member, caller.version).about(ref.connector, ref.lineage)
    key = (product.connector_id, ref.connector, ref.lineage, policy)
    return _stocks.get(key, product.catalog_version, lambda: _stock(caller, product, frozenset()))


def _stock(caller: Caller, product: ConnectedProduct, taken_elsewhere: Set[str]) -> Stock:
    taken = set(taken_elsewhere)
    visible: dict[str, ToolEntry] = {}
    restricted: dict[str, tuple[ToolEntry, Decision]] = {}
    decisions = decide_each(Checkpoint.ADVERTISE, caller, [entry.ref for entry in product.tools])
    for entry, decision in zip(product.tools, decisions, strict=True):
        name = _free_name(entry, taken)
        if decision.allowed:
            visible[name] = entry
        else:
            restricted[name] = entry, decision
    return Stock(visible, restricted)


def _free_name(entry: ToolEntry, taken: set[str]) -> str:
    """The advertised name, or where another connector's tool has it already, one told apart by a hash."""
    name = entry.advertised_name
    if name in taken:
        digest = sha256(f"{entry.ref.connector}.{entry.ref.tool}".encode()).hexdigest()[:6]
        name = f"{name[: MAX_LENGTH - 7]}_{digest}"
    taken.add(name)
    return name


def _shared_index(shelves: Sequence[Shelf], known_apps: tuple[AppName, ...], profile: str) -> PoolIndex:
    """One for all who see the same; what it is made of is all of its key, so that it needs no version."""
    key = (
        profile,
        known_apps,
        tuple(
            (shelf.product.catalog_version, *_identity(shelf.product, shelf.stock.visible, profile))
            for shelf in shelves
        ),
        tuple(tuple(shelf.stock.restricted) for shelf in shelves),
    )
    return _indexes.get(key, 0, lambda: _index(shelves, known_apps, profile))


def _index(shelves: Sequence[Shelf], known_apps: tuple[AppName, ...], profile: str) -> PoolIndex:
    return PoolIndex.assemble(
        [_terms_of(shelf, shelf.stock.visible, profile) for shelf in shelves],
        profile=PROFILES[profile],
        known_labels=known_apps,
        restricted=[
            _terms_of(shelf, {name: entry for name, (entry, _) in shelf.stock.restricted.items()}, profile)
            for shelf in shelves
            if shelf.stock.restricted
        ],
    )


def _terms_of(shelf: Shelf, tools: Mapping[str, ToolEntry], profile: str) -> ConnectorTerms:
    """Shared by all callers who see the same tools of a connector and choose among accounts of the same labels."""
    product = shelf.product
    return _terms.get(
        _identity(product, tools, profile),
        product.catalog_version,
        lambda: PROFILES[profile].extract(_document(product, name, entry) for name, entry in tools.items()),
    )


def _identity(product: ConnectedProduct, names: Iterable[str], profile: str) -> tuple[Hashable, ...]:
    labels = tuple(account.label for account in product.accounts) if len(product.accounts) > 1 else ()
    return product.connector_id, product.label, profile, labels, tuple(names)


def _document(product: ConnectedProduct, name: str, entry: ToolEntry) -> ToolDocument:
    return ToolDocument(
        key=name,
        name=name,
        description=describe(entry.description, product.accounts, entry.connection_argument),
        connector_label=product.label,
        parameters=entry.parameters,
    )
