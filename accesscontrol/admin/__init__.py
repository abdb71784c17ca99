"""The admin pages of access control."""

from accesscontrol.admin import access, people

__all__ = ["access", "people"]
