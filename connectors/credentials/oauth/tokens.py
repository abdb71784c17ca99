"""A token endpoint's answer as the credential that an account keeps, and what can be told from either.

A credential holds access_token, refresh_token, expires_at (seconds since 1970), token_type, scope, and token_url: where
it was issued, which is the one place that its refresh token may be sent to. What the product did not say is left out.
"""

import json
import time
from base64 import urlsafe_b64decode
from collections.abc import Iterator, Mapping
from typing import Any

_KEPT = ("access_token", "refresh_token", "expires_at", "token_type", "scope")
_NAMES = ("email", "preferred_username", "login", "username", "workspace_name", "name", "sub")
"""Where products name the account, the most telling first; in the answer itself or in its id_token."""
_MAX_NAME = 200


class NotAToken(Exception):
    """The answer holds no access token."""


def credential_of(answer: Mapping[str, Any], *, token_url: str, before: Mapping[str, Any] | None = None) -> Any:
    """The credential; a refresh token that is not rotated stays as it was `before`. Raises NotAToken."""
    kept = {name: answer[name] for name in _KEPT if isinstance(answer.get(name), str | int) and answer[name] != ""}
    if not isinstance(kept.get("access_token"), str):
        raise NotAToken
    if not isinstance(kept.get("expires_at", 0), int):
        del kept["expires_at"]
    staying = {name: before[name] for name in ("refresh_token", "scope") if name in before} if before else {}
    return {**staying, **kept, "token_url": token_url}


def seconds_left(credential: Mapping[str, Any]) -> float | None:
    """How long the access token is still good for; None where the product did not say."""
    expires_at = credential.get("expires_at")
    return expires_at - time.time() if isinstance(expires_at, int) else None


def remote_account(answer: Mapping[str, Any]) -> str:
    """Who signed in, as the product says; for display alone, since an id_token is not verified here."""
    for said in (answer, *_claims(answer.get("id_token"))):
        for name in _NAMES:
            value = said.get(name)
            if isinstance(value, str) and value.strip().isprintable() and value.strip():
                return value.strip()[:_MAX_NAME]
    return ""


def _claims(id_token: object) -> Iterator[Mapping[str, Any]]:
    """What the middle part of a JWT says."""
    if not isinstance(id_token, str) or id_token.count(".") != 2:
        return
    payload = id_token.split(".")[1]
    try:
        claims = json.loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    except ValueError:
        return
    if isinstance(claims, dict):
        yield claims
