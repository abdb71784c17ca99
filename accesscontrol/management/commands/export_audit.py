"""Writes the audit trail as JSON lines."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from accesscontrol.audit import exporting
from accesscontrol.management.arguments import organization_by_slug
from accesscontrol.management.moments import moment
from accesscontrol.models import AuditEvent, Organization, Surface


class Command(BaseCommand):
    help = "Write the audit trail to standard output, one JSON object per line, in the order of the chain."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--organization", default="", metavar="SLUG", help="Only this one; else all.")
        parser.add_argument("--since", type=moment, metavar="DATE", help="From this moment on.")
        parser.add_argument("--until", type=moment, metavar="DATE", help="Before this moment.")

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["organization"]
        organizations = [organization_by_slug(slug)] if slug else list(Organization.objects.all())
        exporting.record_export(organizations, surface=Surface.SYSTEM)
        events = AuditEvent.objects.filter(organization__in=organizations)
        for line in exporting.lines(exporting.between(events, options["since"], options["until"])):
            self.stdout.write(line, ending="")
