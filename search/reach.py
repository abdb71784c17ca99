"""Who reaches which tool through which connection, worked out for a whole organization at once.

The same policy decides as for a single caller (`accesscontrol.policy`), over the same connections. It is asked once for
every group of members to whom the same rules apply, and for those without a rule of their own once for their role.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple
from uuid import UUID

from accesscontrol.models import Exemption, Member, Organization, Restriction
from accesscontrol.permissions import Permission
from accesscontrol.policy import Names, Policy, Rule, ToolRef, compile_layer
from connectors.audiences import audiences, pinned_audiences
from connectors.models import Connector, Tool


@dataclass(frozen=True, kw_only=True)
class Picture:
    """The rows of the report, as sets of what each holds besides its organization: see `search.models.reach`."""

    tools: Mapping[UUID, tuple[str, tuple[str, ...]]]
    """Connector and names, by the id of the set."""
    allowances: frozenset[tuple[UUID, UUID]]
    members: frozenset[tuple[UUID, UUID]]
    audiences: frozenset[tuple[UUID, UUID]]
    connections: frozenset[tuple[UUID, str, str, str, UUID]]
    pins: frozenset[tuple[UUID, str, str, str, UUID, str, UUID, UUID]]


@dataclass(frozen=True)
class Group:
    """Members to whom the same rules apply."""

    role_id: UUID
    own: tuple[Rule, ...] = ()
    exemptions: Names = field(default_factory=Names)

    @cached_property
    def id(self) -> UUID:
        return _digest(str(self.role_id), *sorted(map(_text, self.own)), f"except {_names(self.exemptions)}")


@dataclass(frozen=True)
class _Shelf:
    """A connector that somebody has an account at, with its tools."""

    slug: str
    lineage: tuple[str, ...]
    refs: tuple[ToolRef, ...]


def picture_of(organization: Organization) -> Picture:
    """The report of this moment, in one query for each kind of record."""
    groups = _groups(organization)
    policies = _policies(organization, set(groups.values()))
    reached = list(audiences(organization, frozenset(groups)))
    sets = _ToolSets(organization)
    shelves = _shelves(organization, {one.connector for one in reached})
    pinned = [
        (row, members, sets.add(row.connector, names))
        for (row, members), names in pinned_tools(organization, groups, policies).items()
    ]
    gathered = {one.members for one in reached} | {members for _, members, _ in pinned}
    named = {members: _digest(*sorted(map(str, members))) for members in gathered}
    return Picture(
        allowances=frozenset(_allowances(policies, shelves, sets)),
        tools=sets.found,
        members=frozenset((member_id, group.id) for member_id, group in groups.items()),
        audiences=frozenset((audience, member_id) for members, audience in named.items() for member_id in members),
        connections=frozenset(
            (one.connection_id, one.connector, one.label, one.owner, named[one.members]) for one in reached
        ),
        pins=frozenset((*row, tools, named[members]) for row, members, tools in pinned if tools is not None),
    )


class _Pin(NamedTuple):
    """A pinned account, and the toolbox that leads there."""

    connection_id: UUID
    connector: str
    label: str
    owner: str
    toolbox_id: UUID
    toolbox: str


def pinned_tools(
    organization: Organization, groups: Mapping[UUID, Group], policies: Mapping[Group, Policy]
) -> dict[tuple[_Pin, frozenset[UUID]], tuple[str, ...]]:
    """By pinned account and toolbox, and the members whom it leads there: the tools, each as the plain one is called.

    Rules are asked about both who calls and who pinned.
    """
    found: dict[tuple[_Pin, frozenset[UUID]], set[str]] = defaultdict(set)
    for one in pinned_audiences(organization, frozenset(groups)):
        admitting = {group for group, policy in policies.items() if policy.decide(one.ref).allowed}
        members = frozenset(member for member in one.members if groups[member] in admitting)
        if members and groups.get(one.pinned_by) in admitting and one.ref.tool is not None:
            row = _Pin(one.connection_id, one.connector, one.label, one.owner, one.toolbox_id, one.toolbox)
            found[row, members].add(one.ref.tool)
    return {key: tuple(sorted(names)) for key, names in found.items()}


def _groups(organization: Organization) -> dict[UUID, Group]:
    """The group of every member who may use tools."""
    members = Member.objects.of(organization).filter(
        status=Member.Status.ACTIVE, role__permissions__contains=[Permission.TOOL_EXECUTE]
    )
    own = _rules(Restriction.objects.of(organization).filter(member__isnull=False), "member_id")
    exemptions = _exemptions(organization)
    made: dict[Group, Group] = {}
    found = {}
    for member_id, role_id in members.values_list("pk", "role_id"):
        group = Group(role_id, tuple(own.get(member_id, ())), exemptions.get(member_id, Names()))
        found[member_id] = made.setdefault(group, group)
    return found


def _rules(restrictions: Iterable[Restriction], subject: str) -> dict[UUID, list[Rule]]:
    found: dict[UUID, list[Rule]] = defaultdict(list)
    for restriction in restrictions:
        found[getattr(restriction, subject)].append(restriction.as_rule())
    return found


def _exemptions(organization: Organization) -> dict[UUID, Names]:
    found: dict[UUID, Names] = defaultdict(Names)
    rows = Exemption.objects.live().of(organization).values_list("member_id", "connector", "tool")
    for member_id, connector, tool in rows:
        found[member_id] |= Names(tools=frozenset({(connector, tool)})) if tool else Names(frozenset({connector}))
    return found


def _shelves(organization: Organization, connectors: Collection[str]) -> list[_Shelf]:
    tools: dict[UUID, list[Tool]] = defaultdict(list)
    rows = Tool.objects.of(organization).filter(enabled=True, connector__slug__in=connectors).order_by("name")
    for tool in rows.only("connector_id", "name", "former_names"):
        tools[tool.connector_id].append(tool)
    return [
        _Shelf(row.slug, tuple(row.lineage), tuple(tool.ref_in(row) for tool in tools[row.pk]))
        for row in Connector.objects.of(organization).filter(pk__in=tools)
    ]


class _ToolSets:
    """Collects sets of tools, each once."""

    def __init__(self, organization: Organization) -> None:
        self._organization = organization
        self.found: dict[UUID, tuple[str, tuple[str, ...]]] = {}

    def add(self, connector: str, names: tuple[str, ...]) -> UUID | None:
        """The set's id; none for an empty set."""
        if not names:
            return None
        identity = _digest(str(self._organization.pk), connector, *names)
        self.found[identity] = connector, names
        return identity


def _policies(organization: Organization, groups: Collection[Group]) -> dict[Group, Policy]:
    roles = _rules(Restriction.objects.of(organization).filter(role__isnull=False), "role_id")
    layers = {group.role_id: compile_layer(roles.get(group.role_id, ())) for group in groups}
    return {
        group: Policy(role=layers[group.role_id], user=compile_layer(group.own), exemptions=group.exemptions)
        for group in groups
    }


def _allowances(
    policies: Mapping[Group, Policy], shelves: Collection[_Shelf], sets: _ToolSets
) -> Iterator[tuple[UUID, UUID]]:
    """Pairs of a group and a set it has."""
    by_role: dict[tuple[UUID, str], UUID | None] = {}
    for group, policy in policies.items():
        for shelf in shelves:
            if policy.user.leaves_alone(shelf.slug, shelf.lineage) and not group.exemptions.touch(shelf.slug):
                # Only the role's rules can touch it, so all such groups of the role have the same.
                key = group.role_id, shelf.slug
                if key not in by_role:
                    by_role[key] = sets.add(shelf.slug, _admitted(policy, shelf))
                found = by_role[key]
            else:
                found = sets.add(shelf.slug, _admitted(policy, shelf))
            if found:
                yield group.id, found


def _admitted(policy: Policy, shelf: _Shelf) -> tuple[str, ...]:
    refs = shelf.refs
    if not policy.leaves_alone(shelf.slug, shelf.lineage):
        refs = tuple(ref for ref in refs if policy.decide(ref).allowed)
    return tuple(ref.tool for ref in refs if ref.tool is not None)


def _text(rule: Rule) -> str:
    return f"{rule.mode} {_names(rule.names)}"


def _names(names: Names) -> str:
    return " ".join((*sorted(names.connectors), *sorted(map(".".join, names.tools))))


def _digest(*parts: str) -> UUID:
    return UUID(bytes=blake2b("\n".join(parts).encode(), digest_size=16).digest())
