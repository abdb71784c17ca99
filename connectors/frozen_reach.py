"""The frozen tools that a caller reaches through toolboxes, own and shared with them at `use`.

They come grouped by connector and accounts, as products beside the plain ones: those that are pinned run through their
pinned accounts, the others through the caller's own of their connector. One query reads them all, with their tools and
pins; a second one the rules of those who pinned, where these are not compiled yet.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import CharField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Cast, JSONObject

from accesscontrol.caller import Caller
from accesscontrol.exceptions import Conflict, NotFound
from accesscontrol.models import Member
from accesscontrol.policy import ToolRef
from accesscontrol.resolver import policies_of
from accesscontrol.toolbox_choices import ToolboxChoice
from connectors.curation import freezing
from connectors.curation.advertised import Account, FrozenValues, ToolEntry
from connectors.curation.frozen_names import frozen_name, note
from connectors.curation.labels import LabelledAccount, distinct_labels
from connectors.curation.merging import argument_for
from connectors.curation.names import advertised_name
from connectors.models import FrozenTool, Level, Tool, Toolbox
from connectors.models.connector import Connector
from connectors.pins import live_pins
from connectors.reach import ConnectedProduct, toolboxes_within_reach

_NAMESAKES = 6


class _Row(NamedTuple):
    frozen: FrozenTool
    tool: dict[str, Any]
    pins: list[dict[str, Any]]


def frozen_products(caller: Caller, plain: Sequence[ConnectedProduct]) -> tuple[ConnectedProduct, ...]:
    """Frozen tools with some usable account; `plain` are the caller's own connected products. Not filtered by policy.

    A connector comes once for each set of accounts that its frozen tools run through.
    """
    rows = list(_rows(_enabled(caller)))
    own = {product.connector_id: product.accounts for product in plain}
    pinned = _pinned_accounts(caller, rows)
    groups: dict[tuple[UUID, tuple[Account, ...]], list[_Row]] = defaultdict(list)
    for row in rows:
        connector_id = row.frozen.connector_id
        accounts = pinned[row.frozen.pk] if row.frozen.pinned else own.get(connector_id, ())
        if accounts:
            groups[connector_id, accounts].append(row)
    return tuple(_product(group, accounts) for (_, accounts), group in groups.items())


def is_reached(caller: Caller, frozen_tool_id: UUID) -> bool:
    """Whether this one can be called at this moment, as far as its toolbox and the caller's grant have a say."""
    return _enabled(caller).filter(pk=frozen_tool_id).exists()


def is_within_grant(caller: Caller, connector_id: UUID, tool: str) -> bool:
    """Whether the caller's grant leads to this tool at all: one that is confined to toolboxes leads to theirs alone."""
    names = tools_within_grant(caller, connector_id)
    return names is None or tool in names


def tools_within_grant(caller: Caller, connector_id: UUID) -> set[str] | None:
    """The connector's tools that a grant confined to toolboxes leads to, by name; None for all of them."""
    if caller.toolboxes is None:
        return None
    return set(_enabled(caller).filter(connector=connector_id).values_list("tool", flat=True))


def choices(member: Member) -> list[ToolboxChoice]:
    """The toolboxes that a client of the member's can be confined to, by name."""
    rows = toolboxes_within_reach(member, at_least=Level.USE).filter(enabled=True).order_by("name", "pk")
    return [ToolboxChoice(id=pk, name=name) for pk, name in rows.values_list("pk", "name")]


def toolboxes_of(caller: Caller, *, at_least: Level) -> QuerySet[Toolbox]:
    """Those that the member reaches at this level or a higher one, and the grant leads to."""
    rows = toolboxes_within_reach(caller.member, at_least=at_least)
    return rows if caller.toolboxes is None else rows.filter(pk__in=caller.toolboxes)


def toolbox_named(caller: Caller, named: str) -> Toolbox:
    """The enabled toolbox of this id or name whose tools the caller may use; of several of a name, their own.

    Raises NotFound, and Conflict where several others' have the name.
    """
    rows = toolboxes_of(caller, at_least=Level.USE).filter(enabled=True).annotate(key=Cast("pk", CharField()))
    named = named.replace("\0", "").strip()  # PostgreSQL takes none
    found = list(rows.filter(Q(name__iexact=named) | Q(key=named.lower())).order_by("pk")[:_NAMESAKES])
    by_id = [row for row in found if row.key == named.lower()]
    meant = by_id or [row for row in found if row.owner_id == caller.member.pk and row.name == named] or found
    if len(meant) > 1:
        ids = ", ".join(row.key for row in meant)
        raise Conflict(f"Several toolboxes have this name. Say which by its id: {ids}.")
    if not meant:
        raise NotFound("toolbox")
    return meant[0]


def _enabled(caller: Caller) -> QuerySet[FrozenTool]:
    toolboxes = toolboxes_of(caller, at_least=Level.USE).filter(enabled=True)
    rows = FrozenTool.objects.of(caller.organization)
    return rows.filter(toolbox__in=toolboxes.values("pk"), enabled=True, connector__enabled=True)


def _rows(frozen_tools: QuerySet[FrozenTool]) -> Iterator[_Row]:
    tools = Tool.objects.filter(connector=OuterRef("connector"), name=OuterRef("tool"), enabled=True)
    columns = {name: name for name in ("id", "description", "input_schema", "annotations", "former_names")}
    pins = live_pins().filter(frozen_tool=OuterRef("pk"))
    pin = JSONObject(
        connection="connection_id",
        label="connection__label",
        remote_account="connection__remote_account",
        owner="connection__owner__user__email",
        pinned_by="pinned_by_id",
    )
    found = frozen_tools.annotate(
        found=Subquery(tools.values(json=JSONObject(**columns))), live=ArraySubquery(pins.values(json=pin))
    )
    for row in found.select_related("connector", "toolbox").order_by("connector__label", "created_at", "pk"):
        if row.found is not None:
            yield _Row(row, row.found, row.live)


def _pinned_accounts(caller: Caller, rows: Iterable[_Row]) -> dict[UUID, tuple[Account, ...]]:
    """By frozen tool, the accounts of the pins that hold; whoever pinned is asked about, all of them at once."""
    pinned = [row for row in rows if row.frozen.pinned]
    members = {UUID(pin["pinned_by"]) for row in pinned for pin in row.pins}
    policies = policies_of(caller.organization, members, caller.version)
    return {
        row.frozen.pk: _accounts(pin for pin in row.pins if policies[UUID(pin["pinned_by"])].decide(_ref(row)).allowed)
        for row in pinned
    }


def _accounts(pins: Iterable[dict[str, Any]]) -> tuple[Account, ...]:
    labelled = [
        LabelledAccount(
            connection_id=UUID(pin["connection"]),
            label=pin["label"],
            remote_account=pin["remote_account"],
            owner=pin["owner"],
        )
        for pin in pins
    ]
    named = zip(labelled, distinct_labels(labelled), strict=True) if labelled else ()
    accounts = (Account(connection_id=one.connection_id, label=label) for one, label in named)
    return tuple(sorted(accounts, key=lambda account: account.label))


def _product(rows: Collection[_Row], accounts: tuple[Account, ...]) -> ConnectedProduct:
    connector: Connector = next(iter(rows)).frozen.connector
    return ConnectedProduct(
        connector_id=connector.pk,
        catalog_version=connector.catalog_version,
        slug=connector.slug,
        label=connector.label,
        accounts=accounts,
        tools=tuple(map(_entry, rows)),
    )


def _entry(row: _Row) -> ToolEntry:
    frozen, schema = row.frozen, row.tool["input_schema"]
    plain = advertised_name(frozen.connector.slug, frozen.tool)
    return ToolEntry(
        tool_id=UUID(row.tool["id"]),
        ref=_ref(row),
        advertised_name=frozen.name or frozen_name(plain, frozen.fixed, frozen.toolbox.name),
        description=frozen.description or row.tool["description"],
        parameters=tuple(freezing.frozen(schema, frozen.fixed, frozen.defaults).get("properties", ())),
        connection_argument=argument_for(schema),
        annotations=row.tool["annotations"],
        frozen=FrozenValues(
            id=frozen.pk,
            toolbox_id=frozen.toolbox_id,
            toolbox=frozen.toolbox.name,
            has_skill=bool(frozen.toolbox.skill),
            fixed=frozen.fixed,
            defaults=frozen.defaults,
            note=note(frozen.fixed),
            pinned=frozen.pinned,
        ),
    )


def _ref(row: _Row) -> ToolRef:
    """What the resolver is asked about: the tool, whatever is frozen of it."""
    connector = row.frozen.connector
    return ToolRef(connector.slug, tuple(connector.lineage), row.frozen.tool, tuple(row.tool["former_names"]))
