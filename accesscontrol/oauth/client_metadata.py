"""What a client says of itself (RFC 7591), narrowed to what is served here instead of refused for the rest.

Web Claude asks for the jwt-bearer grant too and VS Code for the device code, lists of redirects hold schemes that we do
not know: whatever is left when those are gone is what the client gets, and is told.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accesscontrol.oauth import redirects

GRANT_TYPES = ("authorization_code", "refresh_token")
SECRET_METHODS = ("client_secret_basic", "client_secret_post")
_MAX_NAME = 100


class UnusableClient(Exception):
    """`code` is RFC 7591's."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, kw_only=True)
class ClientMetadata:
    name: str
    redirect_uris: tuple[str, ...]
    auth_method: str

    @property
    def is_public(self) -> bool:
        return self.auth_method not in SECRET_METHODS

    def as_registered(self) -> dict[str, Any]:
        return {
            "client_name": self.name,
            "redirect_uris": list(self.redirect_uris),
            "grant_types": list(GRANT_TYPES) if self.redirect_uris else [],
            "response_types": ["code"] if self.redirect_uris else [],
            "token_endpoint_auth_method": self.auth_method,
        }


def narrowed(said: Mapping[str, Any]) -> ClientMetadata:
    """Raises UnusableClient where nothing that works is left."""
    asked = said.get("grant_types") or list(GRANT_TYPES)
    if not isinstance(asked, list) or "authorization_code" not in asked:
        raise UnusableClient("invalid_client_metadata", "Clients sign in here with the authorization_code grant.")
    responses = said.get("response_types") or ["code"]
    if not isinstance(responses, list) or "code" not in responses:
        raise UnusableClient("invalid_client_metadata", "The one response_type here is code.")
    return ClientMetadata(
        name=_name(said.get("client_name")), redirect_uris=_redirects(said), auth_method=_auth_method(said)
    )


def service(name: str) -> ClientMetadata:
    """One that nobody signs in to: it has a secret, and asks what tokens stand for."""
    return ClientMetadata(name=_name(name), redirect_uris=(), auth_method=SECRET_METHODS[0])


def _name(said: object) -> str:
    """One line of visible characters, or a plain word instead."""
    text = " ".join(said.split()) if isinstance(said, str) else ""
    return "".join(character for character in text if character.isprintable())[:_MAX_NAME] or "Unnamed client"


def _redirects(said: Mapping[str, Any]) -> tuple[str, ...]:
    given = said.get("redirect_uris")
    usable = [uri for uri in given if redirects.is_acceptable(uri)] if isinstance(given, list) else []
    if not usable:
        raise UnusableClient(
            "invalid_redirect_uri", "Give a redirect address that is https, or a loopback port, or a known app's."
        )
    return tuple(dict.fromkeys(usable))[: redirects.MAX_REDIRECTS]


def _auth_method(said: Mapping[str, Any]) -> str:
    """A secret only for who asks for one; RFC 7591 lets us give another method than was asked."""
    asked = said.get("token_endpoint_auth_method")
    return asked if asked in SECRET_METHODS else "none"
