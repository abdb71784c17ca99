"""What a member's connections, own and shared with them, lead to; read in as few queries as the question needs.

A connection, as a toolbox, is reached by its owner, and by whoever it is shared with: directly, through a team, or with
the whole organization. No role reaches further. It contributes its tools where the highest of those levels is `use` or
`edit`, and never to others while its owner is suspended or removed: what they had handed out stops with them.

Tools are kept per connector and catalog version, so a new connection or a changed rule re-reads none of them; what a
member has connected is read once per version of the organization.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple
from uuid import UUID

from django.db.models import Case, Exists, OuterRef, PositiveSmallIntegerField, Q, QuerySet, Subquery, Value, When

from accesscontrol.caller import Caller
from accesscontrol.models import Member, TeamMembership
from accesscontrol.policy import ToolRef
from accesscontrol.resolver import Checkpoint, decide
from accesscontrol.versioned_cache import VersionedCache
from connectors.curation.advertised import Account, ToolEntry
from connectors.curation.labels import LabelledAccount, distinct_labels
from connectors.curation.merging import argument_for
from connectors.curation.names import advertised_name
from connectors.models import Connection, Connector, FrozenTool, Level, Share, Tool, Toolbox
from connectors.models.share import Target, target_field, tenant_path


@dataclass(frozen=True, kw_only=True)
class ConnectedProduct:
    """A connector at which the member reaches active accounts."""

    connector_id: UUID
    catalog_version: int
    slug: str
    label: str
    accounts: tuple[Account, ...]
    tools: tuple[ToolEntry, ...]


class Apps(NamedTuple):
    """`connectable` holds label and aliases of every connector that the caller has or could connect."""

    connectable: tuple[tuple[str, tuple[str, ...]], ...]
    have_frozen_tools: bool
    """Whether anybody's toolbox holds a tool of any: where none does, nobody's need be looked for."""


_tools: VersionedCache[tuple[ToolEntry, ...]] = VersionedCache(size=2_000)


def connections_within_reach(member: Member, *, at_least: Level) -> QuerySet[Connection]:
    """The connections that this member owns, or that are shared with them at this level or a higher one."""
    return _within_reach(Connection, member, at_least)


def toolboxes_within_reach(member: Member, *, at_least: Level) -> QuerySet[Toolbox]:
    """The toolboxes that this member owns, or that are shared with them at this level or a higher one."""
    return _within_reach(Toolbox, member, at_least)


def _within_reach[T: (Connection, Toolbox)](model: type[T], member: Member, at_least: Level) -> QuerySet[T]:
    """Each way of reaching one is a look-up in an index of its own; asked as one condition with ORs, the database
    would read every row of the organization.
    """
    field = target_field(model)
    shares = Share.objects.filter(**{f"{field}__isnull": False}, level__gte=at_least).values(field)
    teams = TeamMembership.objects.filter(member=member).values("team")
    reached = (
        model._default_manager.filter(owner=member)
        .values("pk")
        .union(
            shares.filter(member=member),
            shares.filter(team__in=teams),
            shares.filter(whole_organization=True, organization=member.organization_id),
        )
    )
    # Whether the member's own access goes on is for their grant to say.
    owner_is_active = Q(owner=member) | Q(owner__status=Member.Status.ACTIVE)
    mine = model._default_manager.filter(**{tenant_path(model): member.organization_id})
    return mine.filter(owner_is_active, pk__in=reached)


def reaches(member: Member, target: Target, *, at_least: Level) -> bool:
    """Whether this one connection or toolbox is within the member's reach; a single look-up, none for their own."""
    if target.owner_id == member.pk:
        return True
    field, home = target_field(type(target)), tenant_path(type(target))
    shares = Share.objects.with_member(member).filter(**{field: target}, level__gte=at_least)
    same_home = shares.filter(**{f"{field}__{home}": member.organization_id})
    return same_home.filter(**{f"{field}__owner__status": Member.Status.ACTIVE}).exists()


def usable_connections(member: Member) -> QuerySet[Connection]:
    """Those within reach that a call may run through at this moment."""
    return connections_within_reach(member, at_least=Level.USE).filter(works())


def works() -> Q:
    """That an account can be called through at all, whoever reaches it."""
    return Q(status=Connection.Status.ACTIVE, connector__enabled=True)


def works_for_its_owner() -> Q:
    """What is asked where nobody calls: a credential is not used while the person who gave it is shut out."""
    return works() & Q(owner__status=Member.Status.ACTIVE, owner__user__is_active=True)


def with_levels[T: (Connection, Toolbox)](targets: QuerySet[T], member: Member) -> QuerySet[T]:
    """Annotates each with `level`, the highest that the member has there; their own are theirs to edit."""
    shares = Share.objects.with_member(member).filter(**{target_field(targets.model): OuterRef("pk")})
    return targets.annotate(
        level=Case(
            When(owner=member, then=Value(Level.EDIT)),
            default=Subquery(shares.order_by("-level").values("level")[:1]),
            output_field=PositiveSmallIntegerField(),
        )
    )


def connected_products(caller: Caller) -> tuple[ConnectedProduct, ...]:
    """Every enabled connector at which the member reaches an active account, by label; not yet filtered by policy."""
    return tuple(_product(connector, accounts) for connector, accounts in _usable_accounts(caller.member))


def account_names(caller: Caller) -> dict[UUID, str]:
    """What a call names each usable connection of the caller by: its label, told apart where others have the same."""
    return {
        account.connection_id: account.label for _, accounts in _usable_accounts(caller.member) for account in accounts
    }


def apps_of(caller: Caller) -> Apps:
    """What the organization offers; nothing that a rule hides from the caller."""
    frozen = FrozenTool.objects.filter(connector=OuterRef("pk"), enabled=True)
    rows = Connector.objects.of(caller.organization).filter(enabled=True)
    found = list(rows.values_list("slug", "label", "aliases", "lineage", Exists(frozen)))
    return Apps(
        connectable=tuple(
            (label, tuple(aliases))
            for slug, label, aliases, lineage, _ in found
            if decide(Checkpoint.CONNECT, caller, ToolRef(connector=slug, lineage=tuple(lineage))).allowed
        ),
        have_frozen_tools=any(has_frozen for *_, has_frozen in found),
    )


def _usable_accounts(member: Member) -> Iterator[tuple[Connector, tuple[Account, ...]]]:
    """The accounts at each connector, by label; one query."""
    rows = (
        usable_connections(member)
        .select_related("connector", "owner__user")
        .defer("credential")
        .order_by("connector__label", "connector__slug")
    )
    for _, group in groupby(rows, key=lambda row: row.connector_id):
        connections = list(group)
        yield connections[0].connector, _told_apart(connections)


def _told_apart(connections: Sequence[Connection]) -> tuple[Account, ...]:
    labelled = [
        LabelledAccount(
            connection_id=connection.pk,
            label=connection.label,
            remote_account=connection.remote_account,
            owner=connection.owner.user.email,
        )
        for connection in connections
    ]
    named = zip(connections, distinct_labels(labelled), strict=True)
    accounts = (Account(connection_id=connection.pk, label=name) for connection, name in named)
    return tuple(sorted(accounts, key=attrgetter("label")))


def _product(connector: Connector, accounts: tuple[Account, ...]) -> ConnectedProduct:
    return ConnectedProduct(
        connector_id=connector.pk,
        catalog_version=connector.catalog_version,
        slug=connector.slug,
        label=connector.label,
        accounts=accounts,
        tools=_tools.get(connector.pk, connector.catalog_version, lambda: _read_tools(connector)),
    )


def _read_tools(connector: Connector) -> tuple[ToolEntry, ...]:
    rows = Tool.objects.filter(connector=connector, enabled=True).order_by("name")
    return tuple(_entry(connector, tool) for tool in rows.iterator())


def _entry(connector: Connector, tool: Tool) -> ToolEntry:
    return ToolEntry(
        tool_id=tool.pk,
        ref=tool.ref_in(connector),
        advertised_name=advertised_name(connector.slug, tool.name),
        description=tool.description,
        parameters=tuple(tool.input_schema.get("properties", ())),
        connection_argument=argument_for(tool.input_schema),
        annotations=tool.annotations,
    )
