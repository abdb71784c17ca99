"""For every connection of an organization, who reaches it, and for every pin, whom it leads there.

What `reach`, `frozen_reach` and `pins` say of one member, of everybody at once.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from accesscontrol.models import Member, Organization, TeamMembership
from accesscontrol.policy import ToolRef
from connectors.models import Connection, FrozenTool, Share, Tool, Toolbox
from connectors.models.share import Level, target_field
from connectors.pins import live_pins


@dataclass(frozen=True, kw_only=True, slots=True)
class ConnectionAudience:
    """A connection that a call may run through, and the members who reach it."""

    connection_id: UUID
    connector: str
    label: str
    owner: str
    members: frozenset[UUID]


def audiences(organization: Organization, among: frozenset[UUID]) -> Iterator[ConnectionAudience]:
    """Every usable connection that somebody `among` these members reaches; not yet filtered by policy.

    Where a connection is shared with the whole organization, its `members` are the very set that was given.
    """
    shared = _shared_with(Connection, organization, among)
    alone = {member_id: frozenset((member_id,)) for member_id in among}
    nobody: frozenset[UUID] = frozenset()
    rows = Connection.objects.of(organization).filter(
        status=Connection.Status.ACTIVE, connector__enabled=True, owner__status=Member.Status.ACTIVE
    )
    columns = rows.values_list("pk", "connector__slug", "label", "owner_id", "owner__user__email")
    for pk, connector, label, owner_id, owner in columns:
        # Equal audiences are the same object wherever that is easily had: then they are cheap to tell.
        members = alone.get(owner_id, nobody)
        if pk in shared:
            members = shared[pk] if members <= shared[pk] else members | shared[pk]
        if members:
            yield ConnectionAudience(connection_id=pk, connector=connector, label=label, owner=owner, members=members)


@dataclass(frozen=True, kw_only=True, slots=True)
class PinnedAudience:
    """A frozen tool that a pin leads to one connection, and the members who reach its toolbox."""

    connection_id: UUID
    connector: str
    label: str
    owner: str
    toolbox_id: UUID
    toolbox: str
    ref: ToolRef
    pinned_by: UUID
    members: frozenset[UUID]


def pinned_audiences(organization: Organization, among: frozenset[UUID]) -> Iterator[PinnedAudience]:
    """Every pin that holds and whose toolbox somebody `among` these members reaches; not yet filtered by policy.

    Neither for the members nor for whoever pinned, on whose authority it runs.
    """
    frozen = FrozenTool.objects.filter(enabled=True, pinned=True, toolbox__enabled=True)
    rows = live_pins().of(organization).filter(frozen_tool__in=frozen)
    pins = list(rows.select_related("connection__owner__user", "frozen_tool__connector", "frozen_tool__toolbox__owner"))
    if not pins:
        return
    shared = _shared_with(Toolbox, organization, among)
    tools = {
        (tool.connector_id, tool.name): tool
        for tool in Tool.objects.filter(
            connector__in={pin.frozen_tool.connector_id for pin in pins},
            name__in={pin.frozen_tool.tool for pin in pins},
            enabled=True,
        ).only("connector_id", "name", "former_names")
    }
    for pin in pins:
        frozen_tool, account = pin.frozen_tool, pin.connection
        tool = tools.get((frozen_tool.connector_id, frozen_tool.tool))
        members = _who_reach(frozen_tool.toolbox, shared, among)
        if tool is not None and members:
            yield PinnedAudience(
                connection_id=account.pk,
                connector=frozen_tool.connector.slug,
                label=account.label,
                owner=account.owner.user.email,
                toolbox_id=frozen_tool.toolbox_id,
                toolbox=frozen_tool.toolbox.name,
                ref=tool.ref_in(frozen_tool.connector),
                pinned_by=pin.pinned_by_id,
                members=members,
            )


def _who_reach(toolbox: Toolbox, shared: dict[UUID, frozenset[UUID]], among: frozenset[UUID]) -> frozenset[UUID]:
    if toolbox.owner.status != Member.Status.ACTIVE:
        return frozenset()
    return shared.get(toolbox.pk, frozenset()) | (among & {toolbox.owner_id})


def _shared_with(
    model: type[Connection] | type[Toolbox], organization: Organization, among: frozenset[UUID]
) -> dict[UUID, frozenset[UUID]]:
    """By connection or toolbox, the members it is shared with to use."""
    target = target_field(model)
    shares = Share.objects.of(organization).filter(**{f"{target}__isnull": False}, level__gte=Level.USE)
    teams = _teams(organization, among) if shares.filter(team__isnull=False).exists() else {}
    found: dict[UUID, frozenset[UUID]] = {}
    for share in shares:
        members = among
        if share.team_id is not None:
            members = teams.get(share.team_id, frozenset())
        elif share.member_id is not None:
            members = among & {share.member_id}
        target_id = getattr(share, f"{target}_id")
        held = found.get(target_id, frozenset())
        found[target_id] = members if held <= members else held | members
    return found


def _teams(organization: Organization, among: frozenset[UUID]) -> dict[UUID, frozenset[UUID]]:
    teams: dict[UUID, set[UUID]] = defaultdict(set)
    rows = TeamMembership.objects.of(organization).values_list("team_id", "member_id")
    for team_id, member_id in rows:
        teams[team_id].add(member_id)
    return {team_id: among & members for team_id, members in teams.items()}
