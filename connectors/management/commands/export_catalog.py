"""`export_catalog SLUG`: writes a connector and its tools as a document that `import_catalog` reads anywhere."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accesscontrol.management.arguments import organization_by_slug
from connectors.catalog.document import CatalogError
from connectors.catalog.manifest import write_manifest
from connectors.models import Connector


class Command(BaseCommand):
    help = "Print a connector and its tools as JSON. No credential is in it, and nothing of who uses it how."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--organization", default="", metavar="SLUG", help="needed if there are several")

    def handle(self, *args: Any, **options: Any) -> None:
        organization = organization_by_slug(options["organization"])
        connector = Connector.objects.of(organization).filter(slug=options["slug"]).first()
        if connector is None:
            known = ", ".join(Connector.objects.of(organization).order_by("slug").values_list("slug", flat=True))
            raise CommandError(f"There is no connector {options['slug']!r}; there are: {known or 'none'}.")
        try:
            self.stdout.write(write_manifest(connector), ending="")
        except CatalogError as error:
            raise CommandError(str(error)) from error
