"""Where accounts' credentials go: not where whoever edits a connector likes, but where their owners agreed to.

An account was authorized at one place. Once its connector points at another one, the credential stays here until its
owner has connected it anew; otherwise editing a connector would be a way to read everybody's secrets.
"""

from accesscontrol.services import notices
from connectors.credentials.oauth.addresses import origin
from connectors.models import Connection, Connector, OAuthApp


def distrust_if_moved(connector: Connector, before: str) -> int:
    """Where the connector's address has another origin than `before`, its active accounts need signing in again.

    Belongs into the transaction that moves it. Returns how many accounts that concerns; their owners are told.
    """
    if not before or origin(before) == origin(connector.base_url):
        return 0
    return _distrust(connector, "address")


def distrust_if_sign_in_moved(app: OAuthApp, before: str) -> int:
    """The same where an OAuth application's token address moves: refresh tokens are sent there."""
    if not before or origin(before) == origin(app.token_url):
        return 0
    return _distrust(app.connector, "sign-in address")


def _distrust(connector: Connector, moved: str) -> int:
    active = Connection.objects.filter(connector=connector, status=Connection.Status.ACTIVE)
    owners = set(active.values_list("owner_id", flat=True))
    count = active.update(
        status=Connection.Status.NEEDS_REAUTH,
        status_reason=f"The connector's {moved} has changed; connect the account again if the new one is right.",
    )
    notices.needs_reauth(connector.organization, connector.label, owners=owners)
    return count
