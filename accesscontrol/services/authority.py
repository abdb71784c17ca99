"""What the actor of a service may do at the moment of the change.

The actor was authenticated before the transaction began. Asked after `versions.bump`, whose row lock puts all changes
of an organization in one line, these read what every earlier change has left of them: someone demoted or suspended a
moment ago changes nothing any more. A change without an actor comes from the command line or from a superuser of the
server.
"""

from accesscontrol.exceptions import MemberNotActive, PermissionRequired
from accesscontrol.models import Member, Organization
from accesscontrol.permissions import Permission


def current(actor: Member) -> Member:
    """The actor with role and user as the database has them now. Raises MemberNotActive."""
    found = Member.objects.select_related("user", "role", "organization").get(pk=actor.pk)
    if found.status != Member.Status.ACTIVE:
        raise MemberNotActive(found.user.email)
    return found


def require(actor: Member | None, permission: Permission, organization: Organization) -> Member | None:
    """The actor as they are now. Raises MemberNotActive, PermissionRequired (also for one of another organization)."""
    if actor is None:
        return None
    found = current(actor)
    if found.organization_id != organization.pk or not found.may(permission):
        raise PermissionRequired(permission)
    return found
