"""The options of `import_catalog` for remote MCP servers."""

from argparse import ArgumentParser
from typing import Any

from accesscontrol.models import Organization, Surface
from connectors.catalog.document import CatalogError
from connectors.catalog.importer import ImportReport
from connectors.models import Connection


def add_arguments(parser: ArgumentParser) -> None:
    options = parser.add_argument_group("remote MCP servers")
    options.add_argument("--mcp", action="store_true", help="the URL is that of a remote MCP server")
    options.add_argument("--member", metavar="EMAIL", help="reads its tools as an account of this member sees them")
    options.add_argument("--connection", metavar="LABEL", help="which account of theirs, if they have several")
    options.add_argument("--key-header", metavar="NAME", default="", help="accounts send an API key in this header")


def import_server(organization: Organization, options: dict[str, Any]) -> ImportReport:
    """Raises CatalogError."""
    # The protocol's client takes a quarter of a second to import.
    from connectors.catalog.mcp.importing import import_mcp

    return import_mcp(
        organization=organization,
        url=options["source"],
        slug=options["slug"],
        label=options["label"],
        surface=Surface.SYSTEM,
        account=_account(organization, options) if options["member"] or options["connection"] else None,
        key_header=options["key_header"],
        dry_run=options["dry_run"],
        force=options.get("force", False),
    )


def _account(organization: Organization, options: dict[str, Any]) -> Connection:
    """The only active account of the connector that fits."""
    given = {"owner__user__email__iexact": options["member"], "label": options["connection"]}
    accounts = (
        Connection.objects.of(organization)
        .select_related("connector__organization")
        .filter(
            connector__slug=options["slug"],
            status=Connection.Status.ACTIVE,
            **{name: value for name, value in given.items() if value},
        )
    )
    found = list(accounts[:2])
    if len(found) == 1:
        return found[0]
    raise CatalogError(
        "Several accounts fit: name one with --member and --connection."
        if found
        else f"There is no active account at {options['slug']} that fits --member and --connection."
    )
