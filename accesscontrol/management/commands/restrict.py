"""Writes a rule that allows or blocks connectors and tools for a role or a member."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from accesscontrol.management.arguments import member_by_email, organization_by_slug
from accesscontrol.models import Member, Restriction, Role, Surface
from accesscontrol.services import restrictions


class Command(BaseCommand):
    help = "Allow or block connectors (X) and tools (X.Y) for a role or a member. Naming nothing, an allow denies all."

    def add_arguments(self, parser: CommandParser) -> None:
        subject = parser.add_mutually_exclusive_group(required=True)
        subject.add_argument("--role", metavar="SLUG")
        subject.add_argument("--member", metavar="EMAIL")
        mode = parser.add_mutually_exclusive_group(required=True)
        mode.add_argument("--allow", action="store_const", dest="mode", const=Restriction.Mode.ALLOW)
        mode.add_argument("--block", action="store_const", dest="mode", const=Restriction.Mode.BLOCK)
        parser.add_argument("names", nargs="*", metavar="X[.Y]")
        parser.add_argument("--organization", default="", metavar="SLUG")

    def handle(self, *args: Any, **options: Any) -> None:
        names = options["names"]
        try:
            restriction = restrictions.create(
                subject=self._subject(options),
                mode=options["mode"],
                connectors=[name for name in names if "." not in name],
                tools=[name for name in names if "." in name],
                surface=Surface.SYSTEM,
            )
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        for warning in restrictions.warnings(restriction):
            self.stderr.write(warning)
        self.stdout.write(str(restriction.pk))

    def _subject(self, options: dict[str, Any]) -> Role | Member:
        if options["member"]:
            return member_by_email(options["member"], options["organization"])
        organization = organization_by_slug(options["organization"])
        role = Role.objects.of(organization).filter(slug=options["role"]).first()
        if role is None:
            known = ", ".join(Role.objects.of(organization).values_list("slug", flat=True))
            raise CommandError(f"There is no role {options['role']}; there are: {known}.")
        return role
