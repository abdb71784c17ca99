"""Brings a remote MCP server into an organization: its tools read over the network, then imported as any catalog."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import httpx2

from accesscontrol.exceptions import Refusal
from accesscontrol.models import Member, Organization, Surface
from connectors.auth_scheme import AuthKind, AuthScheme
from connectors.catalog.document import Catalog, CatalogError
from connectors.catalog.importer import ImportReport, import_catalog
from connectors.catalog.mcp.authorization import offered_schemes
from connectors.catalog.mcp.reader import read_mcp
from connectors.execution import authorized
from connectors.execution.destination import require_declared
from connectors.execution.errors import NeedsReauth
from connectors.execution.mcp_call import server_of
from connectors.execution.mcp_session import Server
from connectors.execution.mcp_transport import Unauthorized
from connectors.execution.sending import HopCheck
from connectors.mcp_binding import KIND
from connectors.models import Connection, Connector
from connectors.reach import works_for_its_owner

_ACCOUNT_FIRST = (
    "The server lists its tools to accounts alone. Connect one, then import it again with --member and --connection."
)


def import_mcp(
    *,
    organization: Organization,
    url: str,
    slug: str,
    label: str,
    surface: Surface,
    account: Connection | None = None,
    key_header: str = "",
    actor: Member | None = None,
    dry_run: bool = False,
    force: bool = False,
) -> ImportReport:
    """Imports or updates the connector of the server at this URL, as `read_server` reads it. Raises CatalogError.

    Not atomic: it waits for the server.
    """
    return import_catalog(
        organization=organization,
        catalog=read_server(organization=organization, url=url, slug=slug, account=account, key_header=key_header),
        slug=slug,
        label=label,
        base_url=url,
        surface=surface,
        actor=actor,
        dry_run=dry_run,
        force=force,
        catalog_url=url,
    )


def read_server(
    *, organization: Organization, url: str, slug: str, account: Connection | None = None, key_header: str = ""
) -> Catalog:
    """What the server at this URL offers the organization's connector `slug`. Raises CatalogError.

    The tools are those that `account`, a connection of this connector, sees, or anybody. Where the server wants an
    account and none is given, a new connector comes without tools, so that there is something to connect one to.
    `key_header` names the header of an API key, which no server can be asked for.
    """
    if account and account.connector.base_url != url.rstrip("/"):
        raise CatalogError(f"{account.connector.label} is at {account.connector.base_url}: import it from there.")
    catalog = read_account(account) if account else _read_without_account(url, key_header)
    if not catalog.tools and Connector.objects.of(organization).filter(slug=slug, tools__isnull=False).exists():
        raise CatalogError(_ACCOUNT_FIRST if catalog.auth_schemes else "The server lists no tool.")
    return catalog


def read_account(account: Connection) -> Catalog:
    """The catalog as this account sees it, at its connector's own address. Raises CatalogError."""
    connector = account.connector
    schemes = tuple(map(AuthScheme.from_json, connector.auth_schemes))

    def read(credential: Mapping[str, Any], check: HopCheck) -> Catalog:
        return read_mcp(server_of(connector, credential), auth_schemes=schemes, hop_check=check)

    try:
        return authorized.call(account, read, hop_check=partial(_as_account, account))
    except Refusal as refusal:
        raise CatalogError(str(refusal)) from refusal


def _as_account(account: Connection, url: httpx2.URL) -> None:
    """Asked before each request: its owner may be suspended, or the connector moved, between two pages."""
    require_declared(account.connector, url)
    if not Connection.objects.filter(works_for_its_owner(), pk=account.pk).exists():
        raise NeedsReauth(f"The account {account.label} is not connected any more.")


def _read_without_account(url: str, key_header: str) -> Catalog:
    key = AuthScheme(kind=AuthKind.API_KEY_HEADER, name="key", parameter=key_header)
    try:
        schemes = (key if key_header else AuthScheme(kind=AuthKind.NONE),)
        return read_mcp(Server(url=url), auth_schemes=schemes, hop_check=_anywhere)
    except Unauthorized as refusal:
        offered = (key,) if key_header else offered_schemes(url, refusal.challenge)
        return Catalog(kind=KIND, title="", version="", base_url=url, auth_schemes=offered, notes=(_ACCOUNT_FIRST,))
    except Refusal as refusal:
        raise CatalogError(f"The server cannot be read: {refusal}") from refusal
    except httpx2.InvalidURL as error:
        raise CatalogError(f"The server's URL is not valid: {error}.") from error


def _anywhere(hop: httpx2.URL) -> None:
    """There is no connector yet that could declare its hosts; the egress guard holds, and redirects stay there."""
