"""What the authorization server lets go of: clients that never finished, codes never fetched, grants out of use."""

from datetime import datetime, timedelta

from accesscontrol.models import AccessToken, AuthorizationCode, EndedSecret, Grant, OAuthClient, RefreshToken, Surface
from accesscontrol.services import grants

CLIENT_MAY_TAKE = timedelta(days=1)
TRACES_STAY = timedelta(days=1)
"""An access token that comes after its end is told apart from an unknown one for so long."""
USED_TOKENS_STAY = timedelta(days=30)
"""What comes a second time, or after its grant has ended, is noticed for so long; later it is merely unknown."""


def sweep(*, now: datetime) -> None:
    """Harmless at any time and as often as one likes."""
    _end_unfinished(now)
    _end_idle(now)
    AccessToken.objects.filter(expires_at__lte=now - TRACES_STAY).delete()
    RefreshToken.objects.filter(used_at__lte=now - USED_TOKENS_STAY).delete()
    EndedSecret.objects.filter(ended_at__lte=now - USED_TOKENS_STAY).delete()
    OAuthClient.objects.filter(
        registration_source__in=[OAuthClient.RegistrationSource.DCR, OAuthClient.RegistrationSource.CIMD],
        created__lte=now - CLIENT_MAY_TAKE,
        grants__isnull=True,
    ).delete()


def _end_unfinished(now: datetime) -> None:
    codes = AuthorizationCode.objects.filter(used_at__isnull=True, expires_at__lte=now - TRACES_STAY)
    for code in codes.select_related("grant"):
        grants.revoke(grant=code.grant, reason="the client never fetched its tokens", surface=Surface.SYSTEM)


def _end_idle(now: datetime) -> None:
    for grant in Grant.objects.filter(kind=Grant.Kind.OAUTH, revoked_at__isnull=True, expires_at__lte=now):
        grants.revoke(grant=grant, reason="out of use", surface=Surface.SYSTEM)
