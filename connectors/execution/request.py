"""Puts a bound request, a connector's address and an account's credential together, ready to send."""

from base64 import b64encode
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

import httpx2

from connectors.auth_scheme import AuthKind, AuthScheme
from connectors.execution.arguments import BoundRequest
from connectors.execution.errors import NeedsReauth, UnusableTool
from connectors.execution.headers import RESERVED_HEADERS, is_field_value, is_token
from connectors.execution.secret_forms import forms
from connectors.execution.styles import encode

_ACCEPT = "application/json, text/plain;q=0.9, */*;q=0.5"
# What httpx2 decodes without further packages, and in bounded pieces.
_ACCEPT_ENCODING = "gzip, deflate"
CREDENTIAL_PARAMETERS = "credential_parameters"
"""The extension of a request that names the query parameters which hold its API keys."""
# Shorter ones would blank out ordinary words.
_SHORTEST_SECRET = 4
# A user name as long as this is a key (Stripe, Freshdesk), a shorter one is a person's.
_SHORTEST_USERNAME_KEY = 16


def build_request(
    bound: BoundRequest,
    *,
    base_url: str,
    auth: AuthScheme,
    credential: Mapping[str, Any],
    user_agent: str = "elaichi",
) -> httpx2.Request:
    """The request stays on the base URL's scheme, host and port and below its path.

    The credential goes in last and replaces any argument of its name. It holds `auth.fields`. Raises NeedsReauth where
    one is missing or can't be sent, and UnusableTool for a base URL or auth scheme that can't be used.
    """
    parts = [(part, _checked(part, fields)) for part, fields in auth.of_parts(credential)]
    query, headers = list(bound.query), httpx2.Headers(list(bound.headers))
    headers.setdefault("Accept", _ACCEPT)
    headers["Accept-Encoding"] = _ACCEPT_ENCODING
    headers["User-Agent"] = user_agent
    if bound.media_type:
        headers["Content-Type"] = bound.media_type
    if bound.cookies:
        headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in bound.cookies)
    keys = {_parameter(part): fields["key"] for part, fields in parts if part.kind is AuthKind.API_KEY_QUERY}
    query = [pair for pair in query if not any(same_name(pair[0], name) for name in keys)]
    query += [(encode(name), encode(key)) for name, key in keys.items()]
    for part, fields in parts:
        headers.update(_auth_headers(part, fields))
    extensions = {CREDENTIAL_PARAMETERS: tuple(keys)} if keys else {}
    url = _url(base_url, bound.path, "&".join(f"{name}={value}" for name, value in query))
    return httpx2.Request(bound.method, url, headers=headers, content=bound.content, extensions=extensions)


def secrets_of(auth: AuthScheme, credential: Mapping[str, Any]) -> tuple[str, ...]:
    """What must not come back in a result: the secrets, longest first, in each form an upstream may echo."""
    secrets = {secret for part, fields in auth.of_parts(credential) for secret in _secrets(part, fields)}
    found = {form for secret in secrets for form in forms(secret) if len(secret) >= _SHORTEST_SECRET}
    return tuple(sorted(found, key=lambda form: (-len(form), form)))


def _secrets(part: AuthScheme, fields: Mapping[str, str]) -> set[str]:
    found = {value for name, value in fields.items() if name != "username" or _is_key(value)}
    return found | ({_basic(fields["username"], fields["password"])} if part.kind is AuthKind.BASIC else set())


def _is_key(username: str) -> bool:
    return len(username) >= _SHORTEST_USERNAME_KEY and "@" not in username


def _checked(part: AuthScheme, fields: dict[str, str]) -> dict[str, str]:
    """The fields, as strings that a header can carry. Only a basic password may be empty."""
    if missing := [name for name, value in fields.items() if not value and name != "password"]:
        raise NeedsReauth(f"The account's credential has no {missing[0].replace('_', ' ')}.")
    if part.kind is not AuthKind.BASIC and not all(is_field_value(value) for value in fields.values()):
        raise NeedsReauth("The account's credential holds characters that can't be sent.")
    return fields


def _auth_headers(auth: AuthScheme, fields: Mapping[str, str]) -> dict[str, str]:
    match auth.kind:
        case AuthKind.BEARER:
            return {"Authorization": f"Bearer {fields['token']}"}
        case AuthKind.OAUTH2:
            return {"Authorization": f"Bearer {fields['access_token']}"}
        case AuthKind.BASIC:
            if ":" in fields["username"]:
                raise NeedsReauth("The account's user name holds a colon, which basic authentication can't send.")
            return {"Authorization": f"Basic {_basic(fields['username'], fields['password'])}"}
        case AuthKind.API_KEY_HEADER:
            return {_parameter(auth): fields["key"]}
        case _:
            return {}


def _basic(username: str, password: str) -> str:
    """RFC 7617, in UTF-8."""
    return b64encode(f"{username}:{password}".encode()).decode("ascii")


def _parameter(auth: AuthScheme) -> str:
    framing = RESERVED_HEADERS - {"authorization", "cookie"}
    if not is_token(auth.parameter) or auth.parameter.lower() in framing:
        raise UnusableTool("its connector does not say which header or parameter carries the API key")
    return auth.parameter


def same_name(encoded: str, name: str) -> bool:
    """Some servers read parameter names whatever their case, so a second spelling must not travel along."""
    return unquote(encoded).strip().casefold() == name.casefold()


def _url(base_url: str, path: str, query: str) -> httpx2.URL:
    """Raises UnusableTool where the result would leave the base URL."""
    try:
        base = httpx2.URL(base_url)
        target = base.raw_path.partition(b"?")[0].rstrip(b"/") + path.encode("ascii")
        url = base.copy_with(raw_path=target + (b"?" + query.encode("ascii") if query else b""), fragment=None)
    except (httpx2.InvalidURL, UnicodeError, ValueError):
        raise UnusableTool("its address is not a valid URL") from None
    if base.scheme not in ("http", "https") or not base.host or base.userinfo:
        raise UnusableTool("its connector's base URL must be http or https, with a host and without a user name")
    # Had it changed on the way (dot segments are resolved), another operation than the one checked would run.
    if url.raw_path.partition(b"?")[0] != target:
        raise UnusableTool("its path does not stay below the connector's base URL")
    return url
