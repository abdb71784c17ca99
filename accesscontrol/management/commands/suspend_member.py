"""End all of a member's access, now, until reinstated."""

from collections.abc import Callable
from typing import Any

from accesscontrol.management.membership_command import MembershipCommand
from accesscontrol.models import Member
from accesscontrol.services import memberships


class Command(MembershipCommand):
    help = "End all of a member's access, now, until reinstated."

    def service(self, options: dict[str, Any]) -> Callable[..., Member]:
        return memberships.suspend
