"""The records of people, their roles and what restricts them."""

from accesscontrol.models.audit import AuditEvent, Surface
from accesscontrol.models.grant import Grant
from accesscontrol.models.member import Member
from accesscontrol.models.organization import Organization
from accesscontrol.models.restriction import Restriction
from accesscontrol.models.role import Role
from accesscontrol.models.user import User

__all__ = ["AuditEvent", "Grant", "Member", "Organization", "Restriction", "Role", "Surface", "User"]
