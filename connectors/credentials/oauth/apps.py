"""The OAuth application that a connector's people sign in with."""

from django.conf import settings
from django.urls import reverse

from accesscontrol.exceptions import Conflict
from accesscontrol.permissions import Permission
from connectors.models import Connector, OAuthApp


class OAuthAppMissing(Conflict):
    """Nobody has registered the organization's application with this product yet."""

    def __init__(self, connector: Connector) -> None:
        page = f"{settings.PUBLIC_URL}{reverse('admin:connectors_oauthapp_changelist')}"
        super().__init__(
            f"{connector.label} is signed in to by OAuth, and {connector.organization.name} has no application "
            f"registered there yet. Somebody whose role has {Permission.CONNECTOR_MANAGE} can set it up: {page}",
            permission=Permission.CONNECTOR_MANAGE,
            where=page,
        )


class OAuthAppRefused(Conflict):
    """The product does not accept the application itself, so nobody's account can be renewed with it."""

    def __init__(self, app: OAuthApp, error: str) -> None:
        super().__init__(
            f"{app.connector.label} refuses the OAuth application of {app.connector.organization.name} ({error}). "
            f"Somebody whose role has {Permission.CONNECTOR_MANAGE} has to correct it.",
            permission=Permission.CONNECTOR_MANAGE,
        )


def app_of(connector: Connector) -> OAuthApp:
    """Raises OAuthAppMissing."""
    rows = OAuthApp.objects.of(connector.organization).select_related("connector__organization")
    app = rows.filter(connector=connector).first()
    if app is None:
        raise OAuthAppMissing(connector)
    return app
