"""End a membership for good, and all of its access, now."""

from accesscontrol.management.membership_command import MembershipCommand
from accesscontrol.services import memberships


class Command(MembershipCommand):
    help = "End a membership for good, and all of its access, now."
    service = staticmethod(memberships.remove)
