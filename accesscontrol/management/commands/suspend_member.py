"""End all of a member's access, now, until reinstated."""

from accesscontrol.management.membership_command import MembershipCommand
from accesscontrol.services import memberships


class Command(MembershipCommand):
    help = "End all of a member's access, now, until reinstated."
    service = staticmethod(memberships.suspend)
