"""A caller's pool: every advertised tool they may call now, ranked by an index over just those tools.

A pool is put together from parts that others have too. A connector's tools are read once for everybody; which of them a
policy admits is decided once for everybody to whom the same rules about that connector apply; their terms are extracted
once for everybody who sees the same of it; and one index serves all who see the same of everything. So a new version
that changed nothing for a caller costs them some look-ups, and the index of one that did is assembled by the first
search: a call needs none.

Frozen tools stand on shelves of their own after the plain ones: they are few, and each caller's, so their names and
decisions are worked out for that caller, while their terms and the index are shared by content as all others are.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from uuid import UUID

from django.conf import settings

from accesscontrol.caller import Caller
from accesscontrol.permissions import Permission, Scope
from accesscontrol.policy import Decision
from accesscontrol.resolver import Checkpoint, decide_each, policy_of
from accesscontrol.versioned_cache import VersionedCache
from connectors.curation.advertised import AdvertisedTool, ToolEntry
from connectors.curation.merging import describe
from connectors.curation.names import MAX_LENGTH
from connectors.frozen_reach import frozen_products
from connectors.reach import Apps, ConnectedProduct, apps_of, connected_products
from search.ranking import PROFILES, AppName, ConnectorTerms, PoolIndex, ToolDocument
from search.shelves import RestrictedTools, Shelf, Stock, Tools


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

    def within(self, toolbox_id: UUID) -> "Pool":
        """The part of it that one toolbox holds: its tools compete with each other alone."""
        shelves = tuple(
            Shelf(shelf.product, shelf.stock.within(toolbox_id), frozen=True) for shelf in self.shelves if shelf.frozen
        )
        return replace(
            self,
            shelves=shelves,
            tools=Tools(shelves),
            restricted=RestrictedTools(shelves),
            app_labels=_labels(shelves),
        )


_stocks: VersionedCache[Stock] = VersionedCache(size=5_000)
_indexes: VersionedCache[PoolIndex] = VersionedCache(size=200)
_pools: VersionedCache[Pool] = VersionedCache(size=500)
_terms: VersionedCache[ConnectorTerms] = VersionedCache(size=2_000)


def pool_of(caller: Caller) -> Pool:
    """The caller's pool at the version read with their grant. Without `tool:execute` or `mcp:tools` it is empty."""
    if not (caller.may(Permission.TOOL_EXECUTE) and Scope.TOOLS in caller.scopes):
        return _assemble(caller, apps_of(caller), (), ())
    key = (caller.organization.pk, caller.member.pk, caller.toolboxes)
    return _pools.get(key, caller.version, lambda: _read(caller))


def index_of(pool: Pool, profile: str | None) -> PoolIndex:
    """The pool's index, or one by another profile's rule."""
    if profile is None or profile == settings.SEARCH_PROFILE:
        return pool.index
    return _index(pool.shelves, pool.known_apps, profile)


def _read(caller: Caller) -> Pool:
    apps, products = apps_of(caller), connected_products(caller)
    frozen = frozen_products(caller, products) if apps.have_frozen_tools else ()
    # Their accounts are what the tools of toolboxes run through, also where the grant leads to those tools alone.
    return _assemble(caller, apps, products if caller.toolboxes is None else (), frozen)


def _assemble(
    caller: Caller, apps: Apps, products: Sequence[ConnectedProduct], frozen: Sequence[ConnectedProduct]
) -> Pool:
    shelves = tuple(_shelves(caller, products, frozen))
    return Pool(
        version=caller.version,
        shelves=shelves,
        tools=Tools(shelves),
        restricted=RestrictedTools(shelves),
        app_labels=_labels(shelves),
        known_apps=tuple(AppName(label, aliases) for label, aliases in apps.connectable),
    )


def _labels(shelves: Iterable[Shelf]) -> tuple[str, ...]:
    return tuple(sorted({shelf.product.label for shelf in shelves if shelf.stock.visible}))


def _shelves(
    caller: Caller, products: Sequence[ConnectedProduct], frozen: Sequence[ConnectedProduct]
) -> Iterator[Shelf]:
    """The plain tools have their names first: none is called otherwise because of what is frozen."""
    taken: set[str] = set()
    for product in products:
        stock = _stock_of(caller, product)
        if len(stock) < len(product.tools) or not taken.isdisjoint(stock.names):
            stock = _stock(caller, product, taken)
        taken |= stock.names
        yield Shelf(product, stock)
    for product in frozen:
        stock = _stock(caller, product, taken)
        taken |= stock.names
        yield Shelf(product, stock, frozen=True)


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
    """The advertised name, or where another tool has it already, one told apart by a hash."""
    name = entry.advertised_name
    if name in taken:
        frozen = f".{entry.frozen.id}" if entry.frozen else ""
        digest = sha256(f"{entry.ref.connector}.{entry.ref.tool}{frozen}".encode()).hexdigest()[:6]
        name = f"{name[: MAX_LENGTH - 7]}_{digest}"
    taken.add(name)
    return name


def _shared_index(shelves: Sequence[Shelf], known_apps: tuple[AppName, ...], profile: str) -> PoolIndex:
    """One for all who see the same; what it is made of is all of its key, so that it needs no version."""
    key = (
        profile,
        known_apps,
        tuple((shelf.product.catalog_version, *_identity(shelf, shelf.stock.visible, profile)) for shelf in shelves),
        tuple(_contents(shelf, _withheld(shelf)) for shelf in shelves),
    )
    return _indexes.get(key, 0, lambda: _index(shelves, known_apps, profile))


def _index(shelves: Sequence[Shelf], known_apps: tuple[AppName, ...], profile: str) -> PoolIndex:
    return PoolIndex.assemble(
        [_terms_of(shelf, shelf.stock.visible, profile) for shelf in shelves],
        profile=PROFILES[profile],
        known_labels=known_apps,
        restricted=[_terms_of(shelf, _withheld(shelf), profile) for shelf in shelves if shelf.stock.restricted],
    )


def _withheld(shelf: Shelf) -> dict[str, ToolEntry]:
    return {name: entry for name, (entry, _) in shelf.stock.restricted.items()}


def _terms_of(shelf: Shelf, tools: Mapping[str, ToolEntry], profile: str) -> ConnectorTerms:
    """Shared by all callers who see the same tools of a connector and choose among accounts of the same labels."""
    product = shelf.product
    return _terms.get(
        _identity(shelf, tools, profile),
        product.catalog_version,
        lambda: PROFILES[profile].extract(_document(product, name, entry) for name, entry in tools.items()),
    )


def _identity(shelf: Shelf, tools: Mapping[str, ToolEntry], profile: str) -> tuple[Hashable, ...]:
    product = shelf.product
    labels = tuple(account.label for account in product.accounts) if len(product.accounts) > 1 else ()
    return product.connector_id, product.label, profile, labels, _contents(shelf, tools)


def _contents(shelf: Shelf, tools: Mapping[str, ToolEntry]) -> tuple[Hashable, ...]:
    """A connector's tools are what its catalog's version says; a frozen one is what its toolbox makes of it."""
    if not shelf.frozen:
        return tuple(tools)
    return tuple(_document(shelf.product, name, entry) for name, entry in tools.items())


def _document(product: ConnectedProduct, name: str, entry: ToolEntry) -> ToolDocument:
    return ToolDocument(
        key=name,
        name=name,
        description=describe(entry, product.accounts),
        connector_label=product.label,
        parameters=entry.parameters,
    )
