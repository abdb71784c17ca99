"""A caller's pool: every advertised tool they may call now, ranked by an index over just those tools."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.conf import settings

from accesscontrol.caller import Caller
from accesscontrol.permissions import Permission, Scope
from accesscontrol.policy import Decision
from accesscontrol.resolver import Checkpoint, decide
from accesscontrol.versioned_cache import VersionedCache
from connectors.curation.advertised import AdvertisedTool
from connectors.curation.merging import describe
from connectors.reach import ConnectedProduct, ToolEntry, connectable_apps, connected_products
from search.ranking import PROFILES, AppName, PoolIndex, ToolDocument


@dataclass(frozen=True, kw_only=True)
class RestrictedTool:
    """A tool of a connected product that a rule withholds: its name and why, never its schema."""

    name: str
    connector_slug: str
    connector_label: str
    description: str
    parameters: tuple[str, ...]
    decision: Decision


@dataclass(frozen=True, kw_only=True)
class Pool:
    """`tools` are callable; `restricted` are named to the caller and can be called by no path."""

    version: int
    tools: Mapping[str, AdvertisedTool]
    restricted: Mapping[str, RestrictedTool]
    app_labels: tuple[str, ...]
    known_apps: tuple[AppName, ...]
    """What the caller has or could connect; never what a rule hides from them."""
    index: PoolIndex


_pools: VersionedCache[Pool] = VersionedCache(size=500)


def pool_of(caller: Caller) -> Pool:
    """The caller's pool at the version read with their grant. Without `tool:execute` or `mcp:tools` it is empty."""
    if not _may_call_tools(caller):
        return _build(caller, ())
    key = (caller.organization.pk, caller.member.pk)
    return _pools.get(key, caller.version, lambda: _build(caller, connected_products(caller)))


def _may_call_tools(caller: Caller) -> bool:
    return caller.may(Permission.TOOL_EXECUTE) and Scope.TOOLS in caller.scopes


def index_of(pool: Pool, profile: str | None) -> PoolIndex:
    """The pool's index, or one by another profile's rule."""
    if profile is None or profile == settings.SEARCH_PROFILE:
        return pool.index
    return _index(pool.tools, pool.restricted, pool.known_apps, profile)


def _build(caller: Caller, products: Iterable[ConnectedProduct]) -> Pool:
    tools: dict[str, AdvertisedTool] = {}
    restricted: dict[str, RestrictedTool] = {}
    for product in products:
        for entry in product.tools:
            decision = decide(Checkpoint.ADVERTISE, caller, entry.ref)
            if not decision.allowed:
                restricted[entry.advertised_name] = _restricted(product, entry, decision)
            else:
                # Two connectors may lead to one name; the first by label keeps it, and nothing is overwritten.
                tools.setdefault(entry.advertised_name, _advertise(product, entry))
    restricted = {name: tool for name, tool in restricted.items() if name not in tools}
    known_apps = tuple(AppName(label, aliases) for label, aliases in connectable_apps(caller))
    return Pool(
        version=caller.version,
        tools=tools,
        restricted=restricted,
        app_labels=tuple(sorted({tool.connector_label for tool in tools.values()})),
        known_apps=known_apps,
        index=_index(tools, restricted, known_apps, settings.SEARCH_PROFILE),
    )


def _index(
    tools: Mapping[str, AdvertisedTool],
    restricted: Mapping[str, RestrictedTool],
    known_apps: tuple[AppName, ...],
    profile: str,
) -> PoolIndex:
    return PoolIndex.build(
        [_document(tool) for tool in tools.values()],
        profile=PROFILES[profile],
        known_labels=known_apps,
        restricted=[_document(tool) for tool in restricted.values()],
    )


def _document(tool: AdvertisedTool | RestrictedTool) -> ToolDocument:
    return ToolDocument(
        key=tool.name,
        name=tool.name,
        description=tool.description,
        connector_label=tool.connector_label,
        parameters=tool.parameters,
    )


def _advertise(product: ConnectedProduct, entry: ToolEntry) -> AdvertisedTool:
    return AdvertisedTool(
        name=entry.advertised_name,
        ref=entry.ref,
        tool_id=entry.tool_id,
        connector_label=product.label,
        description=describe(entry.description, product.accounts, entry.connection_argument),
        parameters=entry.parameters,
        annotations=entry.annotations,
        accounts=product.accounts,
    )


def _restricted(product: ConnectedProduct, entry: ToolEntry, decision: Decision) -> RestrictedTool:
    return RestrictedTool(
        name=entry.advertised_name,
        connector_slug=product.slug,
        connector_label=product.label,
        description=entry.description,
        parameters=entry.parameters,
        decision=decision,
    )
