"""Where accounts' credentials go: not where whoever edits a connector likes, but where their owners agreed to.

An account was authorized at one place. Once its connector points at another one, the credential stays here until its
owner has connected it anew; otherwise editing a connector would be a way to read everybody's secrets.
"""

from urllib.parse import urlsplit

from accesscontrol.services import notices
from connectors.models import Connection, Connector


def distrust_if_moved(connector: Connector, before: str) -> int:
    """Where the connector's address has another origin than `before`, its active accounts need signing in again.

    Belongs into the transaction that moves it. Returns how many accounts that concerns; their owners are told.
    """
    if not before or _origin(before) == _origin(connector.base_url):
        return 0
    active = Connection.objects.filter(connector=connector, status=Connection.Status.ACTIVE)
    owners = set(active.values_list("owner_id", flat=True))
    moved = active.update(
        status=Connection.Status.NEEDS_REAUTH,
        status_reason="The connector's address has changed; connect the account again if the new one is right.",
    )
    notices.needs_reauth(connector.organization, connector.label, owners=owners)
    return moved


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()
