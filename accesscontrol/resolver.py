"""The code that decides allow or deny, asked at every place where a member can reach a connector or a tool."""

from collections.abc import Sequence
from enum import StrEnum

from django.db.models import Q

from accesscontrol.caller import Caller
from accesscontrol.models import Member, Restriction
from accesscontrol.policy import ALLOWED, Decision, Policy, Rule, ToolRef, compile_layer
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


def decide_each(checkpoint: Checkpoint, caller: Caller, refs: Sequence[ToolRef]) -> list[Decision]:
    """The decisions for many tools of one connector; where no rule touches it, none of them is looked at."""
    del checkpoint
    policy = policy_of(caller.member, caller.version)
    if refs and policy.leaves_alone(refs[0].connector, refs[0].lineage):
        return [ALLOWED] * len(refs)
    return [policy.decide(ref) for ref in refs]


def policy_of(member: Member, version: int) -> Policy:
    """The member's compiled policy: one query where this version is not compiled yet, none after that."""
    return _policies.get((member.organization_id, member.pk), version, lambda: _load(member))


def _load(member: Member) -> Policy:
    rules = Restriction.objects.filter(
        Q(role_id=member.role_id) | Q(member_id=member.pk), organization_id=member.organization_id
    )
    role: list[Rule] = []
    user: list[Rule] = []
    for restriction in rules:
        (user if restriction.member_id else role).append(restriction.as_rule())
    return Policy(role=compile_layer(role), user=compile_layer(user))
