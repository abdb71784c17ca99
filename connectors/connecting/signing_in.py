"""Connecting an account by OAuth: to the product's sign-in page and back.

What keeps another person's sign-in out (RFC 9700): `state` is random, kept as a hash, good for one return, and only for
the member that the session was opened for, signed in here; so nobody can be made to finish a sign-in that somebody else
began, nor anybody finish theirs. The code is exchanged where the sign-in began, even if the application was changed
meanwhile, or not at all; it is worth nothing without the PKCE verifier, which never leaves this server before that. A
product that names itself when it sends people back (RFC 9207) must be the one that was asked.
"""

from collections.abc import Mapping

from django.contrib.auth.models import AnonymousUser

from accesscontrol.bearer_secrets import digest, new_secret
from accesscontrol.exceptions import Refusal
from accesscontrol.models import User
from connectors.connecting.sessions import SessionOver, complete, open_sessions, require_still_connectable
from connectors.connecting.verification import verify
from connectors.credentials.oauth import client
from connectors.credentials.oauth.apps import OAuthAppRefused, app_of
from connectors.credentials.oauth.client import SignedIn, TokenRefused, error_code
from connectors.models import Connection, ConnectSession, OAuthApp

_AS_SENTENCES = {
    "access_denied": "You did not allow it at {product}, or {product} does not let you.",
    "temporarily_unavailable": "{product} can't sign anybody in at the moment. Try again in a while.",
    "server_error": "{product} ran into an error. Try again in a while.",
    "invalid_scope": "{product} does not know what the OAuth application asks for. Tell an administrator here.",
    "unauthorized_client": "{product} does not let the OAuth application sign people in. Tell an administrator here.",
    "invalid_grant": "The sign-in took too long or was used already. Sign in again.",
}


class NotSignedIn(Refusal):
    """The product sent the person back without a sign-in, or with one that is not to be trusted."""


def begin(session: ConnectSession, app: OAuthApp, *, label: str, page_token: str) -> str:
    """The address at which the person signs in; an earlier sign-in of this session is void. Raises SessionOver."""
    state, verifier = new_secret(), new_secret()
    flow = {"verifier": verifier, "label": label, "page_token": page_token, "issued_by": _issuer(app)}
    begun = ConnectSession.objects.filter(pk=session.pk, ended_at__isnull=True).update(
        state_hash=digest(state), flow=flow
    )
    if not begun:
        raise SessionOver
    return client.authorization_url(app, state=state, verifier=verifier)


def claim(state: str, user: User | AnonymousUser) -> ConnectSession:
    """The session that this return belongs to, once. Raises SessionOver, also for another person's."""
    if not isinstance(user, User):
        raise SessionOver
    session = open_sessions(user).filter(state_hash=digest(state)).first()
    if session is None or not ConnectSession.objects.filter(pk=session.pk, state_hash=session.state_hash).update(
        state_hash=""
    ):
        raise SessionOver
    require_still_connectable(session)
    return session


def finish(session: ConnectSession, answer: Mapping[str, str]) -> Connection:
    """The account that was signed in to, verified and active. Raises Refusal, ValidationError."""
    app, flow = app_of(session.connector), session.flow.reveal()
    _check(app, flow, answer)
    try:
        signed_in = client.exchange_code(app, code=answer["code"], verifier=flow["verifier"])
    except TokenRefused as refused:
        if refused.error == "invalid_grant":
            raise _said(app, refused.error) from None
        raise OAuthAppRefused(app, refused.error) from None
    return _complete(session, flow["label"], signed_in)


def finish_as_application(session: ConnectSession, app: OAuthApp, *, label: str) -> Connection:
    """Where nobody signs in but the application itself. Raises Refusal, ValidationError."""
    try:
        signed_in = client.sign_in_as_application(app)
    except TokenRefused as refused:
        raise OAuthAppRefused(app, refused.error) from None
    return _complete(session, label, signed_in)


def _check(app: OAuthApp, flow: Mapping[str, object], answer: Mapping[str, str]) -> None:
    product = app.connector.label
    if app.issuer and answer.get("iss", app.issuer) != app.issuer:
        raise NotSignedIn(f"The answer came from somebody else than {product}, so it was not used. Sign in again.")
    if flow["issued_by"] != _issuer(app):
        raise NotSignedIn("The OAuth application was changed while you signed in. Sign in again.")
    if "error" in answer:
        raise _said(app, answer["error"])
    if not answer.get("code"):
        raise NotSignedIn(f"{product} sent you back without a sign-in. Sign in again.")


def _said(app: OAuthApp, error: str) -> NotSignedIn:
    product, code = app.connector.label, error_code(error)
    sentence = _AS_SENTENCES.get(code, "{product} refused the sign-in ({code}). Tell an administrator here.")
    return NotSignedIn(sentence.format(product=product, code=code))


def _issuer(app: OAuthApp) -> list[str]:
    """Whom the sign-in is with, and in whose name."""
    return [app.authorization_url, app.token_url, app.client_id]


def _complete(session: ConnectSession, label: str, signed_in: SignedIn) -> Connection:
    verify(session.connector, signed_in.credential)
    return complete(session, label=label, credential=signed_in.credential, remote_account=signed_in.remote_account)
