"""A caller's pool: every advertised tool they may call now, ranked by an index over just those tools.

A pool is put together from parts that are kept per connector and catalog version: its tools, read once for everybody,
and their terms, extracted once for everybody who sees the same of it. So what a new connection or a changed rule costs
is the assembly, not the reading.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from django.conf import settings

from accesscontrol.caller import Caller
from accesscontrol.permissions import Permission, Scope
from accesscontrol.policy import Decision, ToolRef
from accesscontrol.resolver import Checkpoint, decide_each
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
class Shelf:
    """What a caller has of one connector: names of tools, in the order of the connector's own."""

    product: ConnectedProduct
    visible: tuple[tuple[str, ToolEntry], ...]
    restricted: tuple[tuple[str, ToolEntry, Decision], ...]


@dataclass(frozen=True, kw_only=True)
class Pool:
    """`tools` are callable; `restricted` are named to the caller and can be called by no path."""

    version: int
    shelves: tuple[Shelf, ...]
    tools: Mapping[str, tuple[ConnectedProduct, ToolEntry]]
    restricted: Mapping[str, RestrictedTool]
    app_labels: tuple[str, ...]
    known_apps: tuple[AppName, ...]
    """What the caller has or could connect; never what a rule hides from them."""
    index: PoolIndex

    def advertised(self, name: str) -> AdvertisedTool | None:
        """The tool of this name as this caller has it."""
        found = self.tools.get(name)
        if found is None:
            return None
        product, entry = found
        return AdvertisedTool(name=name, entry=entry, connector_label=product.label, accounts=product.accounts)


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
    known_apps = tuple(AppName(label, aliases) for label, aliases in connectable_apps(caller))
    return Pool(
        version=caller.version,
        shelves=shelves,
        tools={name: (shelf.product, entry) for shelf in shelves for name, entry in shelf.visible},
        restricted={
            name: RestrictedTool(name, shelf.product.label, entry.ref, decision)
            for shelf in shelves
            for name, entry, decision in shelf.restricted
        },
        app_labels=tuple(sorted({shelf.product.label for shelf in shelves if shelf.visible})),
        known_apps=known_apps,
        index=_index(shelves, known_apps, settings.SEARCH_PROFILE),
    )


def _shelves(caller: Caller, products: Sequence[ConnectedProduct]) -> list[Shelf]:
    taken: set[str] = set()
    shelves = []
    for product in products:
        visible, restricted = [], []
        refs = [entry.ref for entry in product.tools]
        for entry, decision in zip(product.tools, decide_each(Checkpoint.ADVERTISE, caller, refs), strict=True):
            name = _free_name(entry, taken)
            if decision.allowed:
                visible.append((name, entry))
            else:
                restricted.append((name, entry, decision))
        shelves.append(Shelf(product, tuple(visible), tuple(restricted)))
    return shelves


def _free_name(entry: ToolEntry, taken: set[str]) -> str:
    """The advertised name, or where another connector's tool has it already, one told apart by a hash."""
    name = entry.advertised_name
    if name in taken:
        digest = sha256(f"{entry.ref.connector}.{entry.ref.tool}".encode()).hexdigest()[:6]
        name = f"{name[: MAX_LENGTH - 7]}_{digest}"
    taken.add(name)
    return name


def _index(shelves: Sequence[Shelf], known_apps: tuple[AppName, ...], profile: str) -> PoolIndex:
    return PoolIndex.assemble(
        [_terms_of(shelf.product, shelf.visible, profile) for shelf in shelves],
        profile=PROFILES[profile],
        known_labels=known_apps,
        restricted=[
            _terms_of(shelf.product, tuple((name, entry) for name, entry, _ in shelf.restricted), profile)
            for shelf in shelves
            if shelf.restricted
        ],
    )


def _terms_of(product: ConnectedProduct, tools: tuple[tuple[str, ToolEntry], ...], profile: str) -> ConnectorTerms:
    """Shared by all callers who see the same tools of a connector and choose among accounts of the same labels."""
    names = tuple(name for name, _ in tools)
    labels = tuple(account.label for account in product.accounts) if len(product.accounts) > 1 else ()
    key = (product.connector_id, product.label, profile, labels, names)
    return _terms.get(
        key,
        product.catalog_version,
        lambda: PROFILES[profile].extract(_document(product, name, entry) for name, entry in tools),
    )


def _document(product: ConnectedProduct, name: str, entry: ToolEntry) -> ToolDocument:
    return ToolDocument(
        key=name,
        name=name,
        description=describe(entry.description, product.accounts, entry.connection_argument),
        connector_label=product.label,
        parameters=entry.parameters,
    )
