"""How a product authenticates a request: the kinds that an account's credential can have."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class AuthKind(StrEnum):
    """Each kind names the fields its credential has."""

    NONE = "none"
    BEARER = "bearer"
    API_KEY_HEADER = "api_key_header"
    API_KEY_QUERY = "api_key_query"
    BASIC = "basic"
    OAUTH2 = "oauth2"


CREDENTIAL_FIELDS: dict[AuthKind, tuple[str, ...]] = {
    AuthKind.NONE: (),
    AuthKind.BEARER: ("token",),
    AuthKind.API_KEY_HEADER: ("key",),
    AuthKind.API_KEY_QUERY: ("key",),
    AuthKind.BASIC: ("username", "password"),
    AuthKind.OAUTH2: ("access_token",),
}
"""What a connection's decrypted credential holds, by kind: all strings."""


@dataclass(frozen=True, kw_only=True)
class AuthScheme:
    """One way to authenticate, as a catalog declares it. `parameter` is the header or query name of an API key."""

    kind: AuthKind
    name: str = ""
    """The scheme's key in the document, for people."""
    parameter: str = ""
    authorization_url: str = ""
    token_url: str = ""
    scopes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "AuthScheme":
        return cls(**{**data, "kind": AuthKind(data["kind"]), "scopes": tuple(data.get("scopes", ()))})
