"""The operations over people and their teams."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db.models import Count, Q

from accesscontrol.caller import Caller
from accesscontrol.models import Member, Team, TeamMembership
from accesscontrol.operation import Operation, registry
from accesscontrol.pagination import SearchedPageInput, page
from accesscontrol.permissions import Permission, Scope


def list_members(caller: Caller, asked: SearchedPageInput) -> dict[str, Any]:
    rows = Member.objects.of(caller.organization).exclude(status=Member.Status.REMOVED)
    found, more = page(
        rows.select_related("user", "role"),
        asked,
        name="member.list",
        fields=("user__email", "user__name", "role__label"),
    )
    return {"members": [_member(member) for member in found], **more}


def list_teams(caller: Caller, asked: SearchedPageInput) -> dict[str, Any]:
    active = Q(memberships__member__status=Member.Status.ACTIVE)
    rows = Team.objects.of(caller.organization).annotate(size=Count("memberships", filter=active))
    found, more = page(rows, asked, name="team.list", fields=("name",))
    own = TeamMembership.objects.filter(member=caller.member, team__in=found)
    admin_of = dict(own.values_list("team_id", "is_admin"))
    return {"teams": [_team(team, admin_of) for team in found], **more}


def _team(team: Any, admin_of: Mapping[UUID, bool]) -> dict[str, Any]:
    return {
        "id": str(team.pk),
        "name": team.name,
        "members": team.size,
        "you_are": ("admin" if admin_of[team.pk] else "member") if team.pk in admin_of else "not in it",
    }


def _member(member: Member) -> dict[str, Any]:
    return {
        "id": str(member.pk),
        "email": member.user.email,
        "name": member.user.name,
        "role": member.role.label,
        "status": member.status,
    }


registry.register(
    Operation(
        domain="member",
        verb="list",
        title="List members",
        description="The people here, with role and status.",
        input=SearchedPageInput,
        permission=Permission.MEMBER_VIEW,
        scope=Scope.READ,
        run=list_members,
    )
)
registry.register(
    Operation(
        domain="team",
        verb="list",
        title="List teams",
        description="The teams, and whether you are in each.",
        input=SearchedPageInput,
        permission=Permission.TEAM_VIEW,
        scope=Scope.READ,
        run=list_teams,
    )
)
