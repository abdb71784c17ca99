"""Roles: nobody gives what they do not hold."""

from accesscontrol.exceptions import PermissionRequired
from accesscontrol.models import Member, Role


def assert_may_give(actor: Member, role: Role) -> None:
    """Raises PermissionRequired where the role permits something that the actor's own does not."""
    missing = sorted(set(role.permissions) - set(actor.role.permissions))
    if missing:
        raise PermissionRequired(missing[0])
