"""Ends what is old in the audit trail, and records that it did."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accesscontrol.audit.pruning import prune
from accesscontrol.audit.verifying import verify
from accesscontrol.exceptions import Refusal
from accesscontrol.management.arguments import organization_by_slug
from accesscontrol.management.moments import moment
from accesscontrol.models import Organization, Surface


class Command(BaseCommand):
    help = (
        "Delete the audit rows from before a date. The trail is verified first, and says afterwards what was deleted."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--before", type=moment, required=True, metavar="DATE")
        parser.add_argument("--organization", default="", metavar="SLUG", help="Only this one; else all.")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["organization"]
        organizations = [organization_by_slug(slug)] if slug else list(Organization.objects.order_by("slug"))
        pruned = {organization.slug: self._prune(organization, options) for organization in organizations}
        if options["json"]:
            self.stdout.write(json.dumps({"pruned": pruned}))
            return
        for name, rows in pruned.items():
            self.stdout.write(f"{name}: {rows} rows pruned")

    def _prune(self, organization: Organization, options: dict[str, Any]) -> int:
        """What is not whole is kept: pruning would take the evidence along."""
        if problem := verify(organization).problem:
            raise CommandError(f"The audit trail of {organization.slug} is not whole, so it is kept: {problem.message}")
        try:
            return prune(organization=organization, before=options["before"], surface=Surface.SYSTEM)
        except Refusal as refusal:
            raise CommandError(str(refusal)) from None
