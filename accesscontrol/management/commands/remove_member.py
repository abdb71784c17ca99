"""Ends a membership for good, and all of its access, now."""

from functools import partial
from typing import Any

from django.core.management.base import CommandParser

from accesscontrol.management.arguments import member_by_email
from accesscontrol.management.membership_command import MembershipCommand
from accesscontrol.models import Member
from accesscontrol.services import memberships


class Command(MembershipCommand):
    help = "End a membership for good, and all of its access, now."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--new-owner", metavar="EMAIL", help="Who takes what others use of the member's.")

    def service(self, options: dict[str, Any]) -> partial[Member]:
        email = options["new_owner"]
        new_owner = member_by_email(email, options["organization"]) if email else None
        return partial(memberships.remove, new_owner=new_owner)
