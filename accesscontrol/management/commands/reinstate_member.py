"""Let a suspended member in again; no grant comes back."""

from accesscontrol.management.membership_command import MembershipCommand
from accesscontrol.services import memberships


class Command(MembershipCommand):
    help = "Let a suspended member in again; no grant comes back."
    service = staticmethod(memberships.reinstate)
