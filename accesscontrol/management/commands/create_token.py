"""Makes a personal token for a member and shows it once."""

import json
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from accesscontrol.exceptions import Refusal
from accesscontrol.management.arguments import member_by_email
from accesscontrol.models import Surface
from accesscontrol.permissions import ALL_SCOPES, Scope
from accesscontrol.services import grants


class Command(BaseCommand):
    help = "Make a personal token for a member; it is shown once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--member", required=True, metavar="EMAIL")
        parser.add_argument("--organization", default="", metavar="SLUG")
        parser.add_argument("--name", default="Command line", help="Which client or script it is for.")
        parser.add_argument("--scopes", nargs="+", default=list(ALL_SCOPES), choices=ALL_SCOPES, metavar="SCOPE")
        parser.add_argument("--days", type=int, default=90, help="How long it lives; 0 for no end.")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["days"] < 0:
            raise CommandError("--days cannot be negative.")
        member = member_by_email(options["member"], options["organization"])
        expires_at = timezone.now() + timedelta(days=options["days"]) if options["days"] else None
        try:
            grant, token = grants.issue_token(
                member=member,
                client_name=options["name"],
                scopes=[Scope(scope) for scope in options["scopes"]],
                surface=Surface.SYSTEM,
                expires_at=expires_at,
            )
        except Refusal as refusal:
            raise CommandError(str(refusal)) from None
        if not options["json"]:
            self.stderr.write("This token is shown once; keep it like a password.")
            self.stdout.write(token)
            return
        said = {"token": token, "grant": str(grant.pk), "scopes": grant.scopes, "expires_at": expires_at}
        self.stdout.write(json.dumps(said, default=str))
