"""Pins: the accounts that a frozen tool runs through for everybody, each on the authority of the member who pinned it.

A pin gives a caller no reach of the account: it runs this one tool with these arguments. It holds as long as whoever
pinned it could make the call themselves: an active member whose role may execute tools, who reaches the account at
`use`, and whom no rule denies the tool. The caller's own rules are asked apart, as for every tool.
"""

from collections.abc import Collection
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q

from accesscontrol.caller import Caller
from accesscontrol.models import Member
from accesscontrol.permissions import Permission
from accesscontrol.policy import ToolRef
from accesscontrol.resolver import policies_of
from accesscontrol.tenancy import TenantQuerySet
from connectors.models import Connection, Level, Pin, Share


def live_pins() -> TenantQuerySet[Pin]:
    """Pins that hold at this moment, by everything but rules; rules are for `who_may` to ask."""
    shared = Share.objects.filter(
        Q(member=OuterRef("pinned_by"))
        | Q(team__memberships__member=OuterRef("pinned_by"))
        | Q(whole_organization=True),
        organization=OuterRef("pinned_by__organization"),
        connection=OuterRef("connection"),
        level__gte=Level.USE,
    )
    owned = Q(connection__owner=F("pinned_by"))
    lent = Q(Exists(shared), connection__owner__status=Member.Status.ACTIVE)
    return Pin.objects.get_queryset().filter(
        owned | lent,
        connection__status=Connection.Status.ACTIVE,
        connection__connector=F("frozen_tool__connector"),
        connection__connector__enabled=True,
        connection__connector__organization=F("pinned_by__organization"),
        pinned_by__status=Member.Status.ACTIVE,
        pinned_by__user__is_active=True,
        pinned_by__role__permissions__contains=[Permission.TOOL_EXECUTE],
    )


def who_may(caller: Caller, ref: ToolRef, pinned_by: Collection[UUID]) -> set[UUID]:
    """Those of these members, of the caller's organization, whom no rule denies this tool."""
    policies = policies_of(caller.organization, set(pinned_by), caller.version)
    return {member for member, policy in policies.items() if policy.decide(ref).allowed}


def pinned_connection(caller: Caller, frozen_tool_id: UUID, connection_id: UUID, ref: ToolRef) -> Connection | None:
    """The account that a pin leads this caller to, if the pin holds at this moment."""
    rows = live_pins().of(caller.organization)
    pin = rows.filter(frozen_tool=frozen_tool_id, connection=connection_id).select_related("connection").first()
    if pin is None or not who_may(caller, ref, [pin.pinned_by_id]):
        return None
    return pin.connection
