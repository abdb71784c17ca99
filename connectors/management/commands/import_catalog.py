"""`import_catalog FILE-or-URL --slug S --label L [--mcp]`: imports or updates a connector."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from accesscontrol.models import Organization, Surface
from connectors.catalog.document import CatalogError
from connectors.catalog.importer import ImportReport, import_catalog
from connectors.catalog.mcp import command as mcp
from connectors.catalog.openapi import read_openapi
from connectors.catalog.sources import load_source


class Command(BaseCommand):
    help = (
        "Import or update a connector from an OpenAPI document or a remote MCP server. The same again changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", metavar="FILE-or-URL")
        parser.add_argument("--slug", required=True, help="prefixes the tools' names; never changes")
        parser.add_argument("--label", required=True, help="the product's name, as people write it")
        parser.add_argument("--organization", metavar="SLUG", help="needed if there are several")
        parser.add_argument("--base-url", metavar="URL", help="instead of the document's server")
        parser.add_argument("--dry-run", action="store_true", help="report what would change, change nothing")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")
        mcp.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            organization = _organization(options["organization"])
            report = (mcp.import_server if options["mcp"] else _import_document)(organization, options)
        except CatalogError as error:
            raise CommandError(str(error)) from error
        for note in report.notes:
            self.stderr.write(note, self.style.WARNING)
        if options["json"]:
            self.stdout.write(json.dumps(_as_json(report), indent=2))
        else:
            self.stdout.writelines(f"{line}\n" for line in _as_text(report, dry_run=options["dry_run"]))


def _import_document(organization: Organization, options: dict[str, Any]) -> ImportReport:
    return import_catalog(
        organization=organization,
        catalog=read_openapi(load_source(options["source"]), source=options["source"], progress=_progress),
        slug=options["slug"],
        label=options["label"],
        base_url=options["base_url"],
        surface=Surface.SYSTEM,
        dry_run=options["dry_run"],
    )


def _progress[T](operations: Sequence[T]) -> "tqdm[T]":
    return tqdm(operations, desc="operations", unit="", disable=None, leave=False)


def _organization(slug: str | None) -> Organization:
    """The one that is named, or the only one there is."""
    found = list(Organization.objects.filter(slug=slug) if slug else Organization.objects.all()[:2])
    if len(found) == 1:
        return found[0]
    if slug:
        raise CommandError(f"There is no organization {slug!r}.")
    raise CommandError(
        "There are several organizations: name one with --organization." if found else "There is no organization yet."
    )


def _as_json(report: ImportReport) -> dict[str, Any]:
    return {
        "connector": report.connector.slug,
        "added": report.added,
        "changed": report.changed,
        "removed": report.removed,
        "unchanged": report.unchanged,
        "skipped": [{"operation": it.operation, "reason": it.reason} for it in report.skipped],
    }


def _as_text(report: ImportReport, *, dry_run: bool) -> Iterator[str]:
    """One line for each tool that is not as it was, and how many there are of each kind."""
    changes = {"added": report.added, "changed": report.changed, "removed": report.removed}
    for change, names in changes.items():
        yield from (f"{change:9} {name}" for name in names)
    yield from (f"{'skipped':9} {it.operation}: {it.reason}" for it in report.skipped)
    counts = {**changes, "unchanged": report.unchanged, "skipped": report.skipped}
    summary = ", ".join(f"{len(items)} {change}" for change, items in counts.items())
    yield f"{report.connector.label}: {summary}{' (nothing was written)' if dry_run else ''}"
