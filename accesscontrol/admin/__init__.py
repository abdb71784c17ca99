"""The admin pages of access control."""

from accesscontrol.admin import (
    access,
    access_requests,
    audit,
    invitations,
    notices,
    oauth,
    people,
    restrictions,
    roles,
    teams,
)

__all__ = [
    "access",
    "access_requests",
    "audit",
    "invitations",
    "notices",
    "oauth",
    "people",
    "restrictions",
    "roles",
    "teams",
]
