"""The operations over people."""

from typing import Any

from accesscontrol.caller import Caller
from accesscontrol.models import Member
from accesscontrol.operation import Operation, registry
from accesscontrol.pagination import PageInput, page
from accesscontrol.permissions import Permission, Scope


def list_members(caller: Caller, asked: PageInput) -> dict[str, Any]:
    rows = Member.objects.of(caller.organization).exclude(status=Member.Status.REMOVED)
    found, more = page(rows.select_related("user", "role"), asked, name="member.list")
    return {"members": [_member(member) for member in found], **more}


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
        description="The people of this organization, with their role and status.",
        input=PageInput,
        permission=Permission.MEMBER_VIEW,
        scope=Scope.READ,
        run=list_members,
    )
)
