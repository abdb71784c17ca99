"""Where accounts' credentials go: not where whoever edits a connector likes, but where their owners agreed to.

An account was authorized at one place. Once its connector points at another one, the credential stays here until its
owner has connected it anew; otherwise editing a connector would be a way to read everybody's secrets.
"""

from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from django.utils import timezone

from accesscontrol.services import notices
from connectors.auth_scheme import AuthScheme
from connectors.credentials.oauth.addresses import origin
from connectors.credentials.vault import CredentialUnreadable
from connectors.models import Connection, Connector, ConnectSession, OAuthApp


def distrust_if_moved(connector: Connector, before: str) -> int:
    """Where the connector's address has another origin than `before`, its active accounts need signing in again.

    Belongs into the transaction that moves it. Returns how many accounts that concerns; their owners are told.
    """
    if not before or origin(before) == origin(connector.base_url):
        return 0
    _close_pages(connector)
    return _distrust(connector, "address")


def distrust_if_sign_in_moved(app: OAuthApp, before: str) -> int:
    """The same where an OAuth application's token address moves: refresh tokens are sent there."""
    if not before or origin(before) == origin(app.token_url):
        return 0
    return _distrust(app.connector, "sign-in address")


def distrust_if_widened(connector: Connector, before: Collection[str]) -> int:
    """The same where calls may take the credential to a further host."""
    if not set(connector.hosts) - set(before):
        return 0
    _close_pages(connector)
    return _distrust(connector, "list of hosts")


def distrust_if_unfit(connector: Connector, before: Mapping[str, Any]) -> int:
    """Where the connector authenticates otherwise than `before`, the accounts whose credential cannot do that.

    One that can is sent to the same place as ever.
    """
    if connector.auth == before:
        return 0
    active = Connection.objects.filter(connector=connector, status=Connection.Status.ACTIVE)
    unfit = [account.pk for account in active if not _fits(account, connector.auth_scheme)]
    return _distrust(connector, "way of signing in", unfit) if unfit else 0


def _close_pages(connector: Connector) -> None:
    """Whoever is about to connect an account starts over, by what the connector is now.

    A sign-in at a product that moves needs none of this: it is finished where it began, or not at all.
    """
    ConnectSession.objects.filter(connector=connector, ended_at__isnull=True).update(ended_at=timezone.now())


def _fits(account: Connection, scheme: AuthScheme) -> bool:
    try:
        return set(scheme.fields) <= account.credential.reveal().keys()
    except CredentialUnreadable:
        return False


def _distrust(connector: Connector, moved: str, accounts: Collection[UUID] | None = None) -> int:
    """All of the connector's accounts, or these."""
    active = Connection.objects.filter(connector=connector, status=Connection.Status.ACTIVE)
    if accounts is not None:
        active = active.filter(pk__in=accounts)
    owners = set(active.values_list("owner_id", flat=True))
    count = active.update(
        status=Connection.Status.NEEDS_REAUTH,
        status_reason=f"The connector's {moved} has changed; connect the account again if the new one is right.",
    )
    notices.needs_reauth(connector.organization, connector.label, owners=owners)
    return count
