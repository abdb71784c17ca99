"""Organizations made up from a seed, and what the pools of their members say about who reaches what."""

import random
from collections import defaultdict
from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accesscontrol import versions
from accesscontrol.caller import caller_of
from accesscontrol.models import (
    AccessRequest,
    Exemption,
    Member,
    Organization,
    Restriction,
    Role,
    Surface,
    Team,
    TeamMembership,
)
from connectors.models import Connection, Connector, Share, Tool
from connectors.models.share import Level
from search.models import ReachRow
from search.pool import pool_of
from tests import cast

type Reach = dict[tuple[UUID, UUID], set[str]]
"""The tools by member and connection."""

TOOLS = ("list", "create", "delete", "export")
ROLES = ("guest", "member", "member", "team-admin", "org-owner")


class World:
    """An organization, and one change of it after another; each bumps the version, as the services do."""

    def __init__(self, seed: int, slug: str = "acme") -> None:
        self.source = random.Random(seed)
        self.home = cast.organization(slug)
        self.members = [cast.member(self.home, f"m{number}", self.source.choice(ROLES)) for number in range(6)]
        self.teams = [Team.objects.create(organization=self.home, name=f"Team {number}") for number in range(2)]
        self.connectors = [self._connector(number) for number in range(4)]
        for _ in range(20):
            self.change()

    def change(self) -> None:
        changes: tuple[Callable[[], object], ...] = (
            self._connect,
            self._connect,
            self._connect,
            self._share,
            self._share,
            self._join,
            self._restrict,
            self._restrict,
            self._exempt,
            self._lift,
            self._stop_sharing,
            self._set_status,
            self._switch,
            self._change_role,
        )
        with transaction.atomic():
            versions.bump(self.home)
            self.source.choice(changes)()

    def _connector(self, number: int) -> Connector:
        lineage = ["app0"] if number == 3 else []
        connector = cast.connector(self.home, f"app{number}", f"App {number}", lineage=lineage)
        for name in TOOLS:
            cast.tool(connector, name)
        return connector

    def _connect(self) -> None:
        status = self.source.choice([Connection.Status.ACTIVE] * 4 + [Connection.Status.NEEDS_REAUTH])
        label = f"Account {self.source.random()}"
        cast.connection(self.source.choice(self.members), self.source.choice(self.connectors), label, status=status)

    def _share(self) -> None:
        connections = list(Connection.objects.of(self.home).order_by("label"))
        if not connections:
            return
        grantees: list[dict[str, Any]] = [
            {"member": self.source.choice(self.members)},
            {"team": self.source.choice(self.teams)},
            {"whole_organization": True},
        ]
        fields = {"connection": self.source.choice(connections), **self.source.choice(grantees)}
        if not Share.objects.filter(**fields).exists():
            Share.objects.create(organization=self.home, level=self.source.choice(list(Level)), **fields)

    def _join(self) -> None:
        TeamMembership.objects.get_or_create(
            team=self.source.choice(self.teams), member=self.source.choice(self.members)
        )

    def _restrict(self) -> None:
        connectors = [connector.slug for connector in self.connectors]
        role = Role.objects.get(organization=self.home, slug=self.source.choice(ROLES))
        subjects: list[dict[str, Any]] = [{"role": role}, {"member": self.source.choice(self.members)}]
        Restriction.objects.create(
            organization=self.home,
            mode=self.source.choice(["block", "block", "block", "allow"]),
            connectors=self.source.sample(connectors, self.source.choice([0, 0, 0, 1])),
            tools=[f"{connector}.{self.source.choice(TOOLS)}" for connector in self.source.sample(connectors, 3)],
            **self.source.choice(subjects),
        )

    def _exempt(self) -> None:
        member = self.source.choice(self.members)
        named = {
            "member": member,
            "connector": self.source.choice(self.connectors).slug,
            "tool": self.source.choice(("", *TOOLS)),
        }
        if not Exemption.objects.live().filter(**named).exists():
            request = AccessRequest.objects.create(
                state=AccessRequest.State.APPROVED, resolved_at=timezone.now(), **named
            )
            Exemption.objects.create(request=request, **named)

    def _lift(self) -> None:
        Restriction.objects.filter(pk__in=self._some(Restriction)).delete()

    def _stop_sharing(self) -> None:
        Share.objects.filter(pk__in=self._some(Share)).delete()

    def _set_status(self) -> None:
        member = self.source.choice(self.members)
        status = self.source.choice([Member.Status.ACTIVE, Member.Status.ACTIVE, Member.Status.SUSPENDED])
        Member.objects.filter(pk=member.pk).update(status=status)

    def _switch(self) -> None:
        tool = self.source.choice(list(Tool.objects.of(self.home).order_by("connector__slug", "name")))
        Tool.objects.filter(pk=tool.pk).update(enabled=not tool.enabled)
        # Tools are kept by the catalog's version, which everything that changes one raises.
        Connector.objects.filter(pk=tool.connector_id).update(
            catalog_version=tool.connector.catalog_version + 1, enabled=self.source.random() > 0.2
        )

    def _change_role(self) -> None:
        role = Role.objects.get(organization=self.home, slug=self.source.choice(ROLES))
        Member.objects.filter(pk=self.source.choice(self.members).pk).update(role=role)

    def _some(self, model: type[Restriction] | type[Share]) -> list[UUID]:
        keys = sorted(model._default_manager.filter(organization=self.home).values_list("created_at", "pk"))
        return [self.source.choice(keys)[1]] if keys else []


def reported(organization: Organization) -> Reach:
    rows = ReachRow.objects.of(organization)
    return {(row.member_id, row.connection): set(row.tools) for row in rows}


def by_pools(organization: Organization) -> Reach:
    """What each member's own pool holds, one member after another."""
    found: Reach = defaultdict(set)
    for member in Member.objects.of(organization).select_related("organization", "role", "user"):
        for product, entry in pool_of(caller_of(member, surface=Surface.SYSTEM)).tools.values():
            assert entry.ref.tool
            for account in product.accounts:
                found[member.pk, account.connection_id].add(entry.ref.tool)
    return dict(found)
