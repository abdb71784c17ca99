"""The operations over the organization itself: what it is, which roles it has, and what each permission lets one do."""

from typing import Any

from django.db.models import Count, Q

from accesscontrol.caller import Caller
from accesscontrol.models import Member, Role
from accesscontrol.operation import Operation, OperationInput, registry
from accesscontrol.pagination import SearchedPageInput, page
from accesscontrol.permissions import Permission, Scope


class NothingInput(OperationInput):
    """For what needs no input."""


def get_organization(caller: Caller, asked: NothingInput) -> dict[str, Any]:
    """Also who is asking: a model that knows what it may do does not try the rest."""
    member = caller.member
    return {
        "organization": {"slug": caller.organization.slug, "name": caller.organization.name},
        "you": {
            "email": member.user.email,
            "name": member.user.name,
            "role": member.role.label,
            "permissions": sorted(permission for permission in Permission if caller.may(permission)),
            "scopes": sorted(caller.scopes),
        },
    }


def list_roles(caller: Caller, asked: SearchedPageInput) -> dict[str, Any]:
    active = Count("members", filter=Q(members__status=Member.Status.ACTIVE))
    found, more = page(
        Role.objects.of(caller.organization).annotate(size=active), asked, name="role.list", fields=("label", "slug")
    )
    return {"roles": [_role(role) for role in found], **more}


def list_permissions(caller: Caller, asked: NothingInput) -> dict[str, Any]:
    return {"permissions": [{"name": permission, "you_have_it": caller.may(permission)} for permission in Permission]}


def _role(role: Any) -> dict[str, Any]:
    return {
        "slug": role.slug,
        "label": role.label,
        "built_in": role.built_in,
        "members": role.size,
        "permissions": sorted(role.permissions),
    }


registry.register(
    Operation(
        domain="organization",
        verb="get",
        title="About this organization",
        description="Which organization this is, and what you and this client may do.",
        input=NothingInput,
        permission=Permission.ORGANIZATION_VIEW,
        scope=Scope.READ,
        run=get_organization,
    )
)
registry.register(
    Operation(
        domain="role",
        verb="list",
        title="List roles",
        description="The roles, how many people have each, and what each permits.",
        input=SearchedPageInput,
        permission=Permission.ROLE_VIEW,
        scope=Scope.READ,
        run=list_roles,
    )
)
registry.register(
    Operation(
        domain="permission",
        verb="list",
        title="List permissions",
        description="Every permission that a role can have, and whether you have it.",
        input=NothingInput,
        permission=Permission.ROLE_VIEW,
        scope=Scope.READ,
        run=list_permissions,
    )
)
registry.reserve("role", "create", "update", "delete", admin_page="admin:accesscontrol_role_changelist")
registry.reserve(
    "member",
    "create",
    "invite",
    "update",
    "suspend",
    "reinstate",
    "remove",
    "delete",
    admin_page="admin:accesscontrol_member_changelist",
)
