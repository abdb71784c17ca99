"""Keeping the organization's OAuth applications: one per connector, its client secret written and never shown."""

from django.core.exceptions import ValidationError
from django.db import transaction

from accesscontrol import audit, versions
from accesscontrol.models import Member, Surface
from accesscontrol.permissions import Permission
from accesscontrol.services import authority
from connectors.credentials.oauth.addresses import origin
from connectors.models import OAuthApp
from connectors.services import destinations


@transaction.atomic
def save(*, app: OAuthApp, client_secret: str, surface: Surface, actor: Member | None = None) -> OAuthApp:
    """Keeps an application; an empty `client_secret` keeps the stored one.

    Not where the token address moves to another origin, though: whoever may point it somewhere may not thereby read a
    secret that is never shown. Accounts need signing in again then, since their refresh tokens would move, too. Without
    an actor it is a superuser of the server. Raises PermissionRequired, ValidationError.
    """
    organization = app.connector.organization
    versions.bump(organization)
    authority.require(actor, Permission.CONNECTOR_MANAGE, organization)
    before = OAuthApp.objects.select_for_update(of=("self",), no_key=True).filter(pk=app.pk).first()
    app.full_clean()
    _set_secret(app, client_secret, before)
    app.save()
    if before is not None:
        destinations.distrust_if_sign_in_moved(app, before.token_url)
    _record("oauth_app.change" if before else "oauth_app.create", app, surface, actor)
    return app


@transaction.atomic
def delete(*, app: OAuthApp, surface: Surface, actor: Member | None = None) -> None:
    """Accounts work on until their tokens end, and are not renewed. Raises PermissionRequired."""
    organization = app.connector.organization
    versions.bump(organization)
    authority.require(actor, Permission.CONNECTOR_MANAGE, organization)
    _record("oauth_app.delete", app, surface, actor)
    app.delete()


def _set_secret(app: OAuthApp, given: str, before: OAuthApp | None) -> None:
    if app.client_authentication == OAuthApp.ClientAuthentication.NONE:
        app.client_secret = {}
    elif given:
        app.client_secret = {"client_secret": given}
    elif before is None or not before.client_secret:
        raise ValidationError({"client_secret": "Enter the client secret, or choose a client without one."})
    elif origin(before.token_url) != origin(app.token_url):
        raise ValidationError({"client_secret": "The token address is another one now: enter the client secret again."})
    else:
        app.client_secret = before.client_secret


def _record(action: str, app: OAuthApp, surface: Surface, actor: Member | None) -> None:
    audit.record(
        organization=app.connector.organization,
        action=action,
        surface=surface,
        outcome="ok",
        actor=actor,
        target=f"oauth_app:{app.pk}",
        detail={"connector": app.connector.slug, "token_origin": origin(app.token_url)},
    )
