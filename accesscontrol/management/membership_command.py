"""What `suspend_member`, `reinstate_member` and `remove_member` share: one member, one service."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accesscontrol.exceptions import Refusal
from accesscontrol.management.arguments import member_by_email
from accesscontrol.models import Member, Surface


class MembershipCommand(BaseCommand, ABC):
    @abstractmethod
    def service(self, options: dict[str, Any]) -> Callable[..., Member]:
        """Which change to make, given the command line."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", metavar="EMAIL")
        parser.add_argument("--organization", default="", metavar="SLUG")

    def handle(self, *args: Any, **options: Any) -> None:
        member = member_by_email(options["email"], options["organization"])
        try:
            changed = self.service(options)(member=member, surface=Surface.SYSTEM)
        except Refusal as refusal:
            raise CommandError(str(refusal)) from None
        self.stdout.write(f"{changed.user.email} is {changed.status}.")
