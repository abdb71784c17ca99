"""What a role can permit, and the built-in roles."""

from dataclasses import dataclass
from enum import StrEnum


class Permission(StrEnum):
    """Each is asked for by name in a refusal, so the names are part of the interface."""

    ORGANIZATION_VIEW = "organization:view"
    ORGANIZATION_MANAGE = "organization:manage"
    MEMBER_VIEW = "member:view"
    MEMBER_MANAGE = "member:manage"
    ROLE_VIEW = "role:view"
    ROLE_MANAGE = "role:manage"
    CONNECTOR_VIEW = "connector:view"
    CONNECTOR_MANAGE = "connector:manage"
    CONNECTION_VIEW = "connection:view"
    CONNECTION_CREATE = "connection:create"
    CONNECTION_MANAGE = "connection:manage"
    RESTRICTION_VIEW = "restriction:view"
    RESTRICTION_MANAGE = "restriction:manage"
    AUDIT_VIEW = "audit:view"
    TOOL_EXECUTE = "tool:execute"
    TOKEN_CREATE = "token:create"


P = Permission
GUEST = frozenset({P.ORGANIZATION_VIEW, P.CONNECTOR_VIEW, P.CONNECTION_VIEW})
MEMBER = GUEST | {P.TOOL_EXECUTE, P.CONNECTION_CREATE, P.TOKEN_CREATE, P.MEMBER_VIEW}
ORG_ADMIN = MEMBER | {
    P.MEMBER_MANAGE,
    P.ROLE_VIEW,
    P.CONNECTOR_MANAGE,
    P.CONNECTION_MANAGE,
    P.RESTRICTION_VIEW,
    P.RESTRICTION_MANAGE,
    P.AUDIT_VIEW,
}
ORG_OWNER = frozenset(Permission)
AUDITOR = GUEST | {P.MEMBER_VIEW, P.ROLE_VIEW, P.RESTRICTION_VIEW, P.AUDIT_VIEW}


@dataclass(frozen=True)
class BuiltInRole:
    slug: str
    label: str
    permissions: frozenset[Permission]


ORG_OWNER_SLUG = "org-owner"

BUILT_IN_ROLES = (
    BuiltInRole("guest", "Guest", GUEST),
    BuiltInRole("member", "Member", MEMBER),
    BuiltInRole("org-admin", "Org Admin", ORG_ADMIN),
    BuiltInRole(ORG_OWNER_SLUG, "Org Owner", ORG_OWNER),
    BuiltInRole("auditor", "Auditor", AUDITOR),
)
"""Guest ⊂ Member ⊂ Org Admin ⊂ Org Owner is a strict chain; the Auditor stands beside it."""


class Scope(StrEnum):
    """What a grant lets its client do for the member, within what the member may do."""

    READ = "mcp:read"
    WRITE = "mcp:write"
    DESTRUCTIVE = "mcp:destructive"
    TOOLS = "mcp:tools"


ALL_SCOPES = tuple(scope.value for scope in Scope)
