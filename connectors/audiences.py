"""For every connection of an organization, who reaches it: what `reach` says of one member, of everybody at once."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from accesscontrol.models import Member, Organization, TeamMembership
from connectors.models import Connection, Share
from connectors.models.share import Level


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
    shared = _shared_with(organization, among)
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


def _shared_with(organization: Organization, among: frozenset[UUID]) -> dict[UUID, frozenset[UUID]]:
    """By connection, the members it is shared with to use."""
    shares = Share.objects.of(organization).filter(connection__isnull=False, level__gte=Level.USE)
    teams = _teams(organization, among) if shares.filter(team__isnull=False).exists() else {}
    found: dict[UUID, frozenset[UUID]] = {}
    for share in shares:
        members = among
        if share.team_id is not None:
            members = teams.get(share.team_id, frozenset())
        elif share.member_id is not None:
            members = among & {share.member_id}
        connection_id = share.connection_id
        assert connection_id is not None  # asked for above
        held = found.get(connection_id, frozenset())
        found[connection_id] = members if held <= members else held | members
    return found


def _teams(organization: Organization, among: frozenset[UUID]) -> dict[UUID, frozenset[UUID]]:
    teams: dict[UUID, set[UUID]] = defaultdict(set)
    rows = TeamMembership.objects.of(organization).values_list("team_id", "member_id")
    for team_id, member_id in rows:
        teams[team_id].add(member_id)
    return {team_id: among & members for team_id, members in teams.items()}
