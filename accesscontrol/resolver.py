"""The code that decides allow or deny, asked at every place where a member can reach a connector or a tool."""

from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from functools import partial
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, Q, QuerySet
from django.db.models.functions import JSONObject

from accesscontrol.caller import Caller
from accesscontrol.exceptions import Restricted
from accesscontrol.models import Exemption, Member, Organization, Restriction
from accesscontrol.models.restriction import rule
from accesscontrol.policy import ALLOWED, CompiledLayer, Decision, Names, Policy, ToolRef, compile_layer
from accesscontrol.versioned_cache import VersionedCache


class Checkpoint(StrEnum):
    """Where the resolver must be asked.

    `list`: a connector shown to the member. `connect`: an account being authorized. `save`: a frozen tool being
    stored. `advertise`: a tool entering the caller's pool. `execute`: a call that arrived. `outbound`: each request
    and redirect hop, just before it is sent. `open_file`: a stored file of a tool being opened.
    """

    LIST = "list"
    CONNECT = "connect"
    SAVE = "save"
    ADVERTISE = "advertise"
    EXECUTE = "execute"
    OUTBOUND = "outbound"
    OPEN_FILE = "open_file"


_policies: VersionedCache[Policy] = VersionedCache(size=20_000)


def decide(checkpoint: Checkpoint, caller: Caller, ref: ToolRef) -> Decision:
    """The live decision for this caller at this checkpoint.

    Every checkpoint applies the same policy; naming it keeps each place findable, and the walk over all of them honest.
    """
    del checkpoint
    return policy_of(caller.member, caller.version).decide(ref)


def require(checkpoint: Checkpoint, caller: Caller, ref: ToolRef, name: str) -> None:
    """Raises Restricted, under this name, where `decide` denies."""
    decision = decide(checkpoint, caller, ref)
    if decision.layer is not None and decision.scope is not None:
        raise Restricted(name, by=decision.layer, scope=decision.scope, ref=ref)


def decide_now(checkpoint: Checkpoint, member: Member, refs: Sequence[ToolRef]) -> list[Decision]:
    """As `decide`, by what the surrounding transaction sees: for one that has bumped the version.

    Nothing is kept under the new version, which is nobody's until the commit and another's after a rollback.
    """
    del checkpoint
    policy = load(member)
    return [policy.decide(ref) for ref in refs]


def require_now(checkpoint: Checkpoint, member: Member, ref: ToolRef, name: str) -> None:
    """Raises Restricted, under this name, where `decide_now` denies."""
    [decision] = decide_now(checkpoint, member, [ref])
    if decision.layer is not None and decision.scope is not None:
        raise Restricted(name, by=decision.layer, scope=decision.scope, ref=ref)


def decide_each(checkpoint: Checkpoint, caller: Caller, refs: Sequence[ToolRef]) -> list[Decision]:
    """The decisions for many tools of one connector; where no rule touches it, none of them is looked at."""
    del checkpoint
    policy = policy_of(caller.member, caller.version)
    if refs and policy.leaves_alone(refs[0].connector, refs[0].lineage):
        return [ALLOWED] * len(refs)
    return [policy.decide(ref) for ref in refs]


def policy_of(member: Member, version: int) -> Policy:
    """The member's compiled policy: one query where this version is not compiled yet, none after that."""
    return _policies.get((member.organization_id, member.pk), version, lambda: load(member))


def policies_of(organization: Organization, members: Collection[UUID], version: int) -> dict[UUID, Policy]:
    """The compiled policies of several members at once: one query where any is not compiled yet."""
    keys = {(organization.pk, pk): pk for pk in members}
    loaded: dict[UUID, Policy] = {}

    def one(pk: UUID) -> Policy:
        if not loaded:
            loaded.update(_load(Member.objects.of(organization).filter(pk__in=keys.values())))
        return loaded[pk]

    return {pk: _policies.get(key, version, partial(one, pk)) for key, pk in keys.items()}


def load(member: Member) -> Policy:
    """The member's policy as the database has it at this moment: rules of both layers and exemptions in one query."""
    return _load(Member.objects.filter(pk=member.pk))[member.pk]


def _load(members: QuerySet[Member]) -> dict[UUID, Policy]:
    rules = Restriction.objects.filter(
        Q(role_id=OuterRef("role_id")) | Q(member_id=OuterRef("pk")), organization_id=OuterRef("organization_id")
    )
    columns = JSONObject(member="member_id", mode="mode", connectors="connectors", tools="tools")
    exemptions = Exemption.objects.live().filter(member_id=OuterRef("pk"))
    rows = members.values_list(
        "pk",
        ArraySubquery(rules.values(json=columns)),
        ArraySubquery(exemptions.values(json=JSONObject(connector="connector", tool="tool"))),
    )
    return {pk: _policy(found, exempted) for pk, found, exempted in rows}


def _policy(rules: Sequence[dict[str, Any]], exempted: Sequence[dict[str, Any]]) -> Policy:
    return Policy(
        role=_layer(row for row in rules if row["member"] is None),
        user=_layer(row for row in rules if row["member"] is not None),
        exemptions=Names(
            connectors=frozenset(row["connector"] for row in exempted if not row["tool"]),
            tools=frozenset((row["connector"], row["tool"]) for row in exempted if row["tool"]),
        ),
    )


def _layer(rows: Iterable[dict[str, Any]]) -> CompiledLayer:
    return compile_layer(rule(row["mode"], row["connectors"], row["tools"]) for row in rows)
