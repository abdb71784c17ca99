"""The credential that a call is made with: renewed once where it is about to end, whoever else needs it at that moment.

Calls of one account that find its token ending take turns, by an advisory lock of that account alone. The first asks
the product; each that follows finds the new token stored and uses it. While the product is asked no row is locked, so
that nobody who suspends, removes or disconnects waits for a slow product. What comes back is stored under the row's
lock, in the same transaction and before the call goes on, since it may be the only refresh token that still works; and
only where the account still holds the credential that it was asked for. A token that arrives after its account was
disconnected or connected anew is dropped.

Locks come in this order: turn, organization (only where the account's status changes), connection. Nothing that holds
one of the latter two waits for a turn.
"""

import hashlib
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import OperationalError, transaction
from django.db import connection as database
from psycopg.errors import LockNotAvailable

from accesscontrol import audit, versions
from accesscontrol.exceptions import Refusal
from accesscontrol.models import Surface
from accesscontrol.services import notices
from connectors.credentials.oauth import client
from connectors.credentials.oauth.addresses import origin
from connectors.credentials.oauth.apps import OAuthAppRefused, app_of
from connectors.credentials.oauth.client import TokenRefused
from connectors.credentials.oauth.revoking import revoke_now
from connectors.credentials.oauth.tokens import seconds_left
from connectors.credentials.vault import CredentialUnreadable
from connectors.execution.deadline import OutOfTime, remaining
from connectors.execution.errors import NeedsReauth, UpstreamUnreachable
from connectors.models import Connection, OAuthApp

type Credential = dict[str, Any]

RENEWED_BEFORE = 60.0
"""Seconds before its end at which a token is renewed."""
LONGEST_WAIT = 15.0
"""Seconds that a call waits for its turn: longer than one token request may take."""
_SIGN_IN_OVER = frozenset({"invalid_grant", "bad_refresh_token"})
"""What says that the refresh token is of no use any more; the second is GitHub's word."""


class _SignInOver(Exception):
    """Nothing but signing in again helps; `reason` is for the account's page."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def usable_credential(connection: Connection) -> Credential:
    """The account's credential; of an OAuth account one whose access token has not ended.

    Commits, so it is called outside a transaction. Raises NeedsReauth, UpstreamUnreachable where the product can't be
    asked in time, and other Refusals; none of these while the token at hand is still good.
    """
    credential = opened(connection)
    left = seconds_left(credential)
    if left is None or left > RENEWED_BEFORE:
        return credential
    if left <= 0:
        return _renewed(connection, credential)
    return _renewed_early(connection, credential) if _is_renewable(connection, credential) else credential


def renewed_credential(connection: Connection, *, refused: Mapping[str, Any]) -> Credential | None:
    """After a call that was refused with 401: the credential to try once more with, None where there is none.

    Raises as `usable_credential` does.
    """
    return _renewed(connection, refused) if _is_renewable(connection, refused) else None


def _is_renewable(connection: Connection, credential: Mapping[str, Any]) -> bool:
    """Where it is not, a single 401 ends nothing: some products answer so to what an account may not do."""
    if "token_url" not in credential or "refresh_token" in credential:
        return "refresh_token" in credential
    apps = OAuthApp.objects.filter(connector=connection.connector_id)
    return apps.filter(grant_type=OAuthApp.GrantType.CLIENT_CREDENTIALS).exists()


def opened(connection: Connection) -> Credential:
    """Raises NeedsReauth."""
    try:
        return connection.credential.reveal()
    except CredentialUnreadable:
        raise NeedsReauth(f"The stored credential of the account {connection.label} cannot be opened.") from None


def _renewed_early(connection: Connection, credential: Credential) -> Credential:
    try:
        return _renewed(connection, credential, waits=False)
    except NeedsReauth:
        raise
    except Refusal:
        return credential  # still good, so whatever stands in the way may be gone by the next call


def _renewed(connection: Connection, stale: Mapping[str, Any], *, waits: bool = True) -> Credential:
    host = connection.connector.label
    try:
        # Durable: it must have committed before the call goes on.
        with transaction.atomic(durable=True):
            _take_turn(connection.pk, host, waits=waits)
            account = _now(connection)
            credential = opened(account)
            if credential.get("access_token") != stale.get("access_token"):
                return credential
            found = _ask_and_store(account, credential)
    except OperationalError as error:
        if isinstance(error.__cause__, LockNotAvailable):
            raise _busy(host) from None
        raise
    if found is None:
        raise _needs_reauth(connection)
    return found


def _take_turn(connection_id: UUID, host: str, *, waits: bool) -> None:
    """Holds the account's turn until the transaction ends. Raises UpstreamUnreachable, OperationalError."""
    key = int.from_bytes(hashlib.sha256(b"refresh" + connection_id.bytes).digest()[:8], signed=True)
    with database.cursor() as cursor:
        if not waits:
            cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [key])
            if not cursor.fetchone()[0]:
                raise _busy(host)
            return
        cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{_longest_wait(host)}ms"])
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [key])
        # From here on nothing is given up: what the product hands out next must be stored.
        cursor.execute("SELECT set_config('lock_timeout', '0', true)")


def _longest_wait(host: str) -> int:
    """In milliseconds, never 0, which would mean for ever."""
    try:
        return max(1, round(1000 * (remaining(LONGEST_WAIT) or LONGEST_WAIT)))
    except OutOfTime:
        raise _busy(host) from None


def _busy(host: str) -> UpstreamUnreachable:
    return UpstreamUnreachable(host, "is being asked for a new access token and has not answered in time")


def _now(connection: Connection) -> Connection:
    """The account as it is once it is this call's turn. Raises NeedsReauth."""
    rows = Connection.objects.select_related("connector__organization", "owner__user")
    account = rows.filter(pk=connection.pk).first()
    if account is None or account.status != Connection.Status.ACTIVE:
        raise _needs_reauth(account or connection)
    return account


def _needs_reauth(connection: Connection) -> NeedsReauth:
    whose = connection.owner.user.email
    return NeedsReauth(f"The sign-in of {whose} for the account {connection.label} has ended.")


def _ask_and_store(account: Connection, credential: Credential) -> Credential | None:
    """None where the account has to be signed in to again, which is stored then."""
    try:
        renewed = _ask(account, credential)
    except _SignInOver as over:
        return _ended(account, credential, over.reason)
    return _stored(account, credential, renewed)


def _ask(account: Connection, credential: Credential) -> Credential:
    """Raises _SignInOver, Refusal."""
    app = app_of(account.connector)
    if origin(credential.get("token_url", "")) != origin(app.token_url):
        raise _SignInOver("The connector's sign-in address has changed; connect the account again.")
    try:
        if app.grant_type == OAuthApp.GrantType.CLIENT_CREDENTIALS:
            return client.sign_in_as_application(app).credential
        if not credential.get("refresh_token"):
            raise _SignInOver("The sign-in has ended, and the product lets it be extended only by signing in again.")
        return client.refresh(app, credential)
    except TokenRefused as refused:
        if refused.error in _SIGN_IN_OVER and app.grant_type == OAuthApp.GrantType.AUTHORIZATION_CODE:
            raise _SignInOver("The product has ended the sign-in; connect the account again.") from None
        raise OAuthAppRefused(app, refused.error) from None


def _stored(account: Connection, asked_for: Credential, renewed: Credential) -> Credential:
    locked = _lock(account)
    held = opened(locked)
    if held != asked_for:
        # Disconnected meanwhile, and there is nothing to call with; or connected anew, and that is what counts.
        if not held:
            revoke_now(account, renewed)
            raise _needs_reauth(locked)
        return held
    locked.credential = renewed
    locked.save(update_fields=["credential", "updated_at"])
    return renewed


def _ended(account: Connection, asked_for: Credential, reason: str) -> Credential | None:
    """Tells the owner, once: the account is not active any more for whoever comes next."""
    versions.bump(account.connector.organization)
    locked = _lock(account)
    held = opened(locked)
    if held != asked_for or locked.status != Connection.Status.ACTIVE:
        return held if held and held != asked_for else None
    locked.status, locked.status_reason = Connection.Status.NEEDS_REAUTH, reason
    locked.save(update_fields=["status", "status_reason", "updated_at"])
    notices.sign_in_ended(account.connector.organization, account.connector.label, owner=locked.owner_id)
    audit.record(
        organization=account.connector.organization,
        action="connection.needs_reauth",
        surface=Surface.SYSTEM,
        outcome="ok",
        target=f"connection:{locked.pk}",
        connection=str(account),
        detail={"owner": account.owner.user.email},
    )
    return None


def _lock(account: Connection) -> Connection:
    """Raises NeedsReauth where it was deleted meanwhile."""
    rows = Connection.objects.select_for_update(of=("self",), no_key=True)
    locked = rows.select_related("owner__user").filter(pk=account.pk).first()
    if locked is None:
        raise _needs_reauth(account)
    return locked
