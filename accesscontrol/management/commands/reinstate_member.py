"""Let a suspended member in again; no grant comes back."""

from collections.abc import Callable
from typing import Any

from accesscontrol.management.membership_command import MembershipCommand
from accesscontrol.models import Member
from accesscontrol.services import memberships


class Command(MembershipCommand):
    help = "Let a suspended member in again; no grant comes back."

    def service(self, options: dict[str, Any]) -> Callable[..., Member]:
        return memberships.reinstate
