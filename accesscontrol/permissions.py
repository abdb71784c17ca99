"""What a role can permit, and the built-in roles."""

from dataclasses import dataclass
from enum import StrEnum


class Permission(StrEnum):
    """Each is asked for by name in a refusal, so the names are part of the interface.

    `view` reads, `create` makes one's own, `manage` changes everybody's.
    """

    ORGANIZATION_VIEW = "organization:view"
    ORGANIZATION_MANAGE = "organization:manage"
    MEMBER_VIEW = "member:view"
    MEMBER_MANAGE = "member:manage"
    ROLE_VIEW = "role:view"
    ROLE_MANAGE = "role:manage"
    TEAM_VIEW = "team:view"
    TEAM_MANAGE = "team:manage"
    CONNECTOR_VIEW = "connector:view"
    CONNECTOR_MANAGE = "connector:manage"
    CONNECTION_VIEW = "connection:view"
    CONNECTION_CREATE = "connection:create"
    CONNECTION_MANAGE = "connection:manage"
    TOOLBOX_VIEW = "toolbox:view"
    TOOLBOX_CREATE = "toolbox:create"
    TOOLBOX_MANAGE = "toolbox:manage"
    RESTRICTION_VIEW = "restriction:view"
    RESTRICTION_MANAGE = "restriction:manage"
    RESTRICTION_OVERRIDE = "restriction:override"
    AUDIT_VIEW = "audit:view"
    TOOL_EXECUTE = "tool:execute"
    TOKEN_CREATE = "token:create"
    TOKEN_MANAGE = "token:manage"


P = Permission
GUEST = frozenset({P.ORGANIZATION_VIEW, P.CONNECTOR_VIEW, P.CONNECTION_VIEW, P.TOOLBOX_VIEW})
MEMBER = GUEST | {
    P.TOOL_EXECUTE,
    P.CONNECTION_CREATE,
    P.TOOLBOX_CREATE,
    P.TOKEN_CREATE,
    P.MEMBER_VIEW,
    P.TEAM_VIEW,
}
TEAM_ADMIN = MEMBER | {P.TEAM_MANAGE, P.RESTRICTION_VIEW}
PEOPLE_ADMIN = TEAM_ADMIN | {P.MEMBER_MANAGE, P.ROLE_VIEW, P.TOKEN_MANAGE, P.RESTRICTION_MANAGE}
ORG_ADMIN = PEOPLE_ADMIN | {
    P.CONNECTOR_MANAGE,
    P.CONNECTION_MANAGE,
    P.TOOLBOX_MANAGE,
    P.ROLE_MANAGE,
    P.AUDIT_VIEW,
}
ORG_OWNER = frozenset(Permission)
AUDITOR = GUEST | {P.MEMBER_VIEW, P.TEAM_VIEW, P.ROLE_VIEW, P.RESTRICTION_VIEW, P.AUDIT_VIEW}


@dataclass(frozen=True)
class BuiltInRole:
    slug: str
    label: str
    permissions: frozenset[Permission]


ORG_OWNER_SLUG = "org-owner"

BUILT_IN_ROLES = (
    BuiltInRole("guest", "Guest", GUEST),
    BuiltInRole("member", "Member", MEMBER),
    BuiltInRole("team-admin", "Team Admin", TEAM_ADMIN),
    BuiltInRole("people-admin", "People Admin", PEOPLE_ADMIN),
    BuiltInRole("org-admin", "Org Admin", ORG_ADMIN),
    BuiltInRole(ORG_OWNER_SLUG, "Org Owner", ORG_OWNER),
    BuiltInRole("auditor", "Auditor", AUDITOR),
)
"""From Guest to Org Owner a strict chain; the Auditor stands beside it."""


class Scope(StrEnum):
    """What a grant lets its client do for the member, within what the member may do."""

    READ = "mcp:read"
    WRITE = "mcp:write"
    DESTRUCTIVE = "mcp:destructive"
    TOOLS = "mcp:tools"


ALL_SCOPES = tuple(scope.value for scope in Scope)
