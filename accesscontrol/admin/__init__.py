"""The admin pages of access control."""

from accesscontrol.admin import access, access_requests, audit, people, restrictions, roles, teams

__all__ = ["access", "access_requests", "audit", "people", "restrictions", "roles", "teams"]
