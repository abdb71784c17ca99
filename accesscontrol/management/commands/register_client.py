"""Registers an OAuth client by hand: a program that should not register itself, or a service that asks about tokens."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accesscontrol.models import OAuthClient
from accesscontrol.oauth.client_metadata import SECRET_METHODS, ClientMetadata, UnusableClient, narrowed, service
from accesscontrol.oauth.registration import register


class Command(BaseCommand):
    help = "Register an OAuth client. With --confidential it has a secret, shown once, and may ask what a token is."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--name", required=True)
        parser.add_argument(
            "--redirect",
            nargs="+",
            default=[],
            metavar="URI",
            help="Where people's answers may be sent. None: nobody can sign in to it; it only asks about tokens.",
        )
        parser.add_argument("--confidential", action="store_true", help="It can keep a secret, as a server can.")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["redirect"] and not options["confidential"]:
            raise CommandError("Give --redirect for people to sign in, --confidential for a service, or both.")
        try:
            metadata = self._metadata(options["name"], options["redirect"], options["confidential"])
        except UnusableClient as unusable:
            raise CommandError(str(unusable)) from None
        self._show(register(metadata, source=OAuthClient.RegistrationSource.MANUAL), as_json=options["json"])

    def _metadata(self, name: str, redirects: list[str], confidential: bool) -> ClientMetadata:
        if not redirects:
            return service(name)
        method = SECRET_METHODS[0] if confidential else "none"
        found = narrowed({"client_name": name, "redirect_uris": redirects, "token_endpoint_auth_method": method})
        if unusable := set(redirects) - set(found.redirect_uris):
            raise CommandError(f"This cannot be redirected to: {', '.join(sorted(unusable))}.")
        return found

    def _show(self, registered: dict[str, Any], *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(registered))
            return
        self.stdout.write(f"client_id      {registered['client_id']}")
        if "client_secret" in registered:
            self.stderr.write("The secret is shown once; keep it like a password.")
            self.stdout.write(f"client_secret  {registered['client_secret']}")
