"""How accounts authenticate at a remote MCP server that answered 401: what its metadata says (RFC 9728, RFC 8414)."""

import re
from collections.abc import Iterable

import httpx2
from django.conf import settings
from mcp.client.auth.utils import (
    build_oauth_authorization_server_metadata_discovery_urls,
    build_protected_resource_metadata_discovery_urls,
)
from mcp.shared.auth import OAuthMetadata, ProtectedResourceMetadata
from pydantic import BaseModel, ValidationError

from accesscontrol.exceptions import Refusal
from connectors.auth_scheme import AuthKind, AuthScheme
from connectors.execution.egress import guarded_transport
from connectors.execution.sending import Limits, send

_LIMITS = Limits(total=10.0, max_bytes=1024 * 1024)


def offered_schemes(url: str, challenge: str) -> tuple[AuthScheme, ...]:
    """OAuth where the server's metadata leads to an authorization server, and a token, which every server may take.

    `challenge` is the WWW-Authenticate header of the 401. Whatever is missing or wrong counts as not there.
    """
    bearer = AuthScheme(kind=AuthKind.BEARER, name="token")
    oauth = _oauth(url, challenge)
    return (oauth, bearer) if oauth else (bearer,)


def _oauth(url: str, challenge: str) -> AuthScheme | None:
    named = build_protected_resource_metadata_discovery_urls(_field(challenge, "resource_metadata"), url)
    resource = _first(named, ProtectedResourceMetadata)
    if resource is None or not resource.authorization_servers:
        return None
    issuer = str(resource.authorization_servers[0])
    server = _first(build_oauth_authorization_server_metadata_discovery_urls(issuer, url), OAuthMetadata)
    # Metadata that speaks for another issuer could send a sign-in anywhere (RFC 8414, 3.3).
    if server is None or str(server.issuer).rstrip("/") != issuer.rstrip("/"):
        return None
    return AuthScheme(
        kind=AuthKind.OAUTH2,
        name="oauth",
        authorization_url=str(server.authorization_endpoint),
        token_url=str(server.token_endpoint),
        scopes=tuple(_field(challenge, "scope").split() or resource.scopes_supported or ()),
    )


def _field(challenge: str, name: str) -> str:
    found = re.search(rf'\b{name}=(?:"([^"]*)"|([^\s,]+))', challenge)
    return (found[1] or found[2] or "") if found else ""


def _first[M: BaseModel](urls: Iterable[str], model: type[M]) -> M | None:
    return next((found for url in urls if (found := _fetch(url, model)) is not None), None)


def _fetch[M: BaseModel](url: str, model: type[M]) -> M | None:
    """Through the egress guard: the address is the server's to say."""
    try:
        response = send(
            httpx2.Request("GET", url),
            transport=guarded_transport(settings.EGRESS_ALLOWED),
            hop_check=lambda hop: None,
            limits=_LIMITS,
        )
        return model.model_validate_json(response.content) if response.status == 200 else None
    except (Refusal, ValidationError, httpx2.InvalidURL):
        return None
