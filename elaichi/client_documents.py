"""Fetches the metadata document behind a client's address (Client ID Metadata Documents), past the egress guard.

The authorization server is told of this class by the settings: access control does not know the guard.
"""

import json
import re
from typing import Any
from urllib.parse import urlsplit

import httpx2
from django.conf import settings
from oauth2_provider.cimd import CIMDError

from accesscontrol.exceptions import Refusal
from accesscontrol.oauth.client_metadata import UnusableClient, narrowed
from connectors.execution.egress import guarded_transport
from connectors.execution.sending import Limits, UpstreamResponse, send

_LIMITS = Limits(total=5.0, connect=3.0, max_bytes=16 * 1024, redirects=0)
_SHORTEST, _LONGEST = 300, 24 * 3600
_MAX_AGE = re.compile(r"(?:^|[\s,])max-age\s*=\s*\"?(\d{1,9})", re.IGNORECASE)


class ClientDocuments:
    """What django-oauth-toolkit calls a fetcher; it checks itself that the document names the address it came from."""

    def __init__(self, transport: httpx2.BaseTransport | None = None) -> None:
        self._transport = transport or guarded_transport(settings.EGRESS_ALLOWED)

    def fetch(self, client_id: str) -> tuple[dict[str, Any], int]:
        """The document, narrowed to what is served here, and for how many seconds it holds. Raises CIMDError."""
        _check_address(client_id)
        request = httpx2.Request("GET", client_id, headers={"Accept": "application/json"})
        try:
            response = send(request, transport=self._transport, hop_check=lambda hop: None, limits=_LIMITS)
        except Refusal as refusal:
            raise CIMDError(f"it cannot be fetched: {refusal}") from refusal
        return _document(response), _lifetime(response.headers.get("cache-control", ""))


def _check_address(client_id: str) -> None:
    parts = urlsplit(client_id)
    try:
        _ = parts.port
    except ValueError:
        raise CIMDError("its port is no number") from None
    segments = parts.path.split("/")
    if parts.scheme != "https" or not parts.hostname or "@" in parts.netloc or "#" in client_id:
        raise CIMDError("it must be an https address without a user or a fragment")
    if parts.path in ("", "/") or "." in segments or ".." in segments:
        raise CIMDError("it must have a path, without dot segments")


def _document(response: UpstreamResponse) -> dict[str, Any]:
    media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if response.status != 200 or not re.fullmatch(r"application/([\w.-]+\+)?json", media_type):
        raise CIMDError(f"it answered {response.status} with {media_type or 'no media type'}")
    try:
        said = json.loads(response.content)
    except ValueError as error:
        raise CIMDError("it holds no JSON") from error
    if not isinstance(said, dict):
        raise CIMDError("it holds no JSON object")
    return _narrowed(said)


def _narrowed(said: dict[str, Any]) -> dict[str, Any]:
    """How the client authenticates, and whose document it is, stay as the document says: for the toolkit to judge."""
    try:
        metadata = narrowed(said).as_registered()
    except UnusableClient as unusable:
        raise CIMDError(str(unusable)) from unusable
    return {**said, **metadata, "token_endpoint_auth_method": said.get("token_endpoint_auth_method", "none")}


def _lifetime(cache_control: str) -> int:
    found = _MAX_AGE.search(cache_control)
    if "no-store" in cache_control.lower() or "no-cache" in cache_control.lower():
        return _SHORTEST
    return max(_SHORTEST, min(int(found.group(1)), _LONGEST)) if found else _LONGEST
