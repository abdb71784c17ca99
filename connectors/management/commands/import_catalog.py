"""`import_catalog FILE-or-URL … [--slug S --label L] [--mcp]`: imports or updates a connector."""

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from accesscontrol.management.arguments import organization_by_slug
from accesscontrol.models import Organization, Surface
from connectors.catalog.document import CatalogError
from connectors.catalog.importer import ImportReport, import_catalog
from connectors.catalog.mcp import command as mcp
from connectors.catalog.reading import read_catalogs
from connectors.catalog.sources import load_source, url_to_read_again


class Command(BaseCommand):
    help = (
        "Import or update a connector from OpenAPI documents, from what export_catalog wrote, or from a remote MCP "
        "server. The same again changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", metavar="FILE-or-URL", nargs="+", help="several are one product, the first leads")
        parser.add_argument("--slug", help="prefixes the tools' names, never changes; exported catalogs hold it")
        parser.add_argument("--label", help="the product's name, as people write it; exported catalogs hold it")
        parser.add_argument("--organization", default="", metavar="SLUG", help="needed if there are several")
        parser.add_argument("--base-url", metavar="URL", help="instead of the document's server")
        parser.add_argument("--dry-run", action="store_true", help="report what would change, change nothing")
        parser.add_argument("--force", action="store_true", help="import it also without more than half of the tools")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")
        mcp.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            organization = organization_by_slug(options["organization"])
            report = (_import_server if options["mcp"] else _import_documents)(organization, options)
        except CatalogError as error:
            raise CommandError(str(error)) from error
        for note in filter(None, (*report.notes, report.refusal)):
            self.stderr.write(note, self.style.WARNING)
        if options["json"]:
            self.stdout.write(json.dumps(report.as_json(), indent=2))
        else:
            self.stdout.writelines(f"{line}\n" for line in report.as_text(dry_run=options["dry_run"]))


def _import_documents(organization: Organization, options: dict[str, Any]) -> ImportReport:
    sources = options["source"]
    catalog = read_catalogs([(source, load_source(source)) for source in sources], progress=_progress)
    slug, label = _required(options["slug"] or catalog.slug, options["label"] or catalog.label)
    return import_catalog(
        organization=organization,
        catalog=catalog,
        slug=slug,
        label=label,
        base_url=options["base_url"],
        surface=Surface.SYSTEM,
        dry_run=options["dry_run"],
        force=options["force"],
        catalog_url=url_to_read_again(sources),
    )


def _import_server(organization: Organization, options: dict[str, Any]) -> ImportReport:
    if len(options["source"]) > 1:
        raise CommandError("A remote MCP server is a connector of its own: give one URL.")
    _required(options["slug"], options["label"])
    return mcp.import_server(organization, {**options, "source": options["source"][0]})


def _required(slug: str, label: str) -> tuple[str, str]:
    missing = [option for option, value in {"--slug": slug, "--label": label}.items() if not value]
    if missing:
        raise CommandError(f"Say what to call the connector: {' and '.join(missing)}.")
    return slug, label


def _progress[T](operations: Sequence[T]) -> "tqdm[T]":
    return tqdm(operations, desc="operations", unit="", disable=None, leave=False)
