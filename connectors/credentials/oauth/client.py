"""Asks a product's token endpoint: Authlib speaks the protocol, our guarded sender carries it.

So a token request goes to a public address alone, is not redirected, ends in time, and reads neither proxies nor
passwords from the environment. No error holds what was sent or what the endpoint said beyond its error code.
"""

import logging
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
from authlib.integrations.base_client import OAuthError
from authlib.integrations.httpx_client import OAuth2Client
from django.conf import settings

from connectors.credentials.oauth.addresses import callback_url, problem_of
from connectors.credentials.oauth.tokens import NotAToken, credential_of, remote_account
from connectors.credentials.vault import CredentialUnreadable
from connectors.execution.egress import guarded_transport
from connectors.execution.errors import BlockedAddress, UpstreamError, UpstreamUnreachable
from connectors.execution.sending import HopCheck, Limits, send
from connectors.models import OAuthApp

LIMITS = Limits(total=10.0, max_bytes=256 * 1024, redirects=1)
# The body that `send` gives back is decoded and whole.
_OF_THE_TRANSFER = ("content-encoding", "content-length", "transfer-encoding")
_ERROR = re.compile(r"[a-z_]{1,40}")


class TokenRefused(Exception):
    """The endpoint answered with an OAuth error, such as `invalid_grant`."""

    def __init__(self, error: object) -> None:
        self.error = error_code(error)
        super().__init__(self.error)


@dataclass(frozen=True, kw_only=True)
class SignedIn:
    """A credential and whose it is, as the product says."""

    credential: dict[str, Any]
    remote_account: str


def error_code(said: object) -> str:
    """An OAuth error as it may be shown; whatever is not spelled like one is not repeated."""
    return said if isinstance(said, str) and _ERROR.fullmatch(said) else "unknown_error"


def authorization_url(app: OAuthApp, *, state: str, verifier: str) -> str:
    """Where a person signs in; PKCE with S256 (RFC 7636)."""
    with _client(app, secret="") as client:
        url, _ = client.create_authorization_url(
            app.authorization_url, state=state, code_verifier=verifier, **app.authorization_parameters
        )
        return str(url)


def exchange_code(app: OAuthApp, *, code: str, verifier: str) -> SignedIn:
    """Raises TokenRefused, Refusal."""
    return _signed_in(
        app,
        lambda client: client.fetch_token(app.token_url, grant_type=app.grant_type, code=code, code_verifier=verifier),
    )


def sign_in_as_application(app: OAuthApp) -> SignedIn:
    """Raises TokenRefused, Refusal."""
    scope = {"scope": " ".join(app.scopes)} if app.scopes else {}
    return _signed_in(app, lambda client: client.fetch_token(app.token_url, grant_type=app.grant_type, **scope))


def refresh(app: OAuthApp, credential: Mapping[str, Any]) -> dict[str, Any]:
    """The credential that follows this one. Raises TokenRefused, Refusal."""

    def ask(client: Any) -> Any:
        client.scope = None  # the same again, which a product need not be told
        client.token = {}
        return client.refresh_token(app.token_url, refresh_token=credential["refresh_token"])

    return _signed_in(app, ask, before=credential).credential


def revoke(app: OAuthApp, credential: Mapping[str, Any]) -> None:
    """Ends what the credential stands for (RFC 7009). Raises TokenRefused, Refusal."""
    kind = "refresh_token" if "refresh_token" in credential else "access_token"
    with _client(app, secret=_secret(app)) as client, _as_errors(app):
        # Nothing more is asked there, so no connection waits for it.
        client.headers["Connection"] = "close"
        client.revoke_token(app.revocation_url, token=credential[kind], token_type_hint=kind).raise_for_status()


def _signed_in(app: OAuthApp, ask: Callable[[Any], Any], before: Mapping[str, Any] | None = None) -> SignedIn:
    with _client(app, secret=_secret(app)) as client, _as_errors(app):
        answer = dict(ask(client))
        return SignedIn(
            credential=credential_of(answer, token_url=app.token_url, before=before),
            remote_account=remote_account(answer),
        )


@contextmanager
def _client(app: OAuthApp, *, secret: str) -> Iterator[Any]:
    # It logs whole URLs at INFO.
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    with OAuth2Client(
        client_id=app.client_id,
        client_secret=secret,
        token_endpoint_auth_method=app.client_authentication,
        revocation_endpoint_auth_method=app.client_authentication,
        scope=" ".join(app.scopes) or None,
        redirect_uri=callback_url(),
        code_challenge_method="S256",
        transport=_Guarded(),
        trust_env=False,
        headers={"User-Agent": f"elaichi/{settings.VERSION}"},
    ) as client:
        yield client


def _secret(app: OAuthApp) -> str:
    try:
        return str(app.client_secret.reveal().get("client_secret", ""))
    except CredentialUnreadable:
        raise UpstreamError(f"The client secret for {app.connector.label} can't be opened; enter it again.") from None


class _Guarded(httpx2.BaseTransport):
    """What Authlib sends goes through the one place that everything goes through."""

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        if problem := problem_of(str(request.url)):
            raise BlockedAddress(request.url.host, f"can't be used: {problem.rstrip('.').lower()}")
        response = send(
            request,
            transport=guarded_transport(settings.EGRESS_ALLOWED),
            hop_check=_only(request.url),
            limits=LIMITS,
        )
        headers = [(name, value) for name, value in response.headers.multi_items() if name not in _OF_THE_TRANSFER]
        return httpx2.Response(response.status, headers=headers, content=response.content, request=request)


def _only(address: httpx2.URL) -> HopCheck:
    def check(url: httpx2.URL) -> None:
        if url != address:
            raise UpstreamError(f"{address.host} redirects what is asked of its token address; it must answer itself.")

    return check


@contextmanager
def _as_errors(app: OAuthApp) -> Iterator[None]:
    """The causes are left out: they may hold what was sent."""
    host = httpx2.URL(app.token_url).host
    try:
        yield
    except OAuthError as error:
        raise TokenRefused(error.error) from None
    except httpx2.HTTPStatusError as error:
        status = error.response.status_code
        if status >= 500 or status == 429:
            raise UpstreamUnreachable(host, f"answered with status {status} instead of a token") from None
        raise UpstreamError(f"{host} answered with status {status} instead of a token.") from None
    except (NotAToken, ValueError, TypeError):
        raise UpstreamError(f"{host} did not answer with a token.") from None
