"""How a product authenticates a request: the kinds that an account's credential can have."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
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
"""What a credential of each kind consists of."""


@dataclass(frozen=True, kw_only=True)
class AuthScheme:
    """One way to authenticate, as a catalog declares it. `parameter` is the header or query name of an API key.

    Some products want several credentials in one request: the further ones are in `also`, each a scheme by itself.
    """

    kind: AuthKind
    name: str = ""
    """The scheme's key in the document, for people."""
    parameter: str = ""
    authorization_url: str = ""
    token_url: str = ""
    scopes: tuple[str, ...] = ()
    also: tuple["AuthScheme", ...] = ()

    @property
    def parts(self) -> tuple["AuthScheme", ...]:
        """The schemes that a request follows, each without further ones."""
        return (replace(self, also=()), *self.also) if self.also else (self,)

    @property
    def fields(self) -> tuple[str, ...]:
        """What an account's decrypted credential holds: all strings."""
        return tuple(self._stored_as(part, field) for part in self.parts for field in CREDENTIAL_FIELDS[part.kind])

    @property
    def place(self) -> str:
        """Where in a request the credential stands; no two can stand in one."""
        match self.kind:
            case AuthKind.API_KEY_HEADER | AuthKind.API_KEY_QUERY:
                return f"{_PLACES[self.kind]} {self.parameter.lower()}"
            case AuthKind.NONE:
                return ""
        return f"{_PLACES[AuthKind.API_KEY_HEADER]} authorization"

    def of_parts(self, credential: Mapping[str, Any]) -> Iterator[tuple["AuthScheme", dict[str, str]]]:
        """Each part with its own fields of the credential, by the names that its kind has for them."""
        for part in self.parts:
            names = {field: self._stored_as(part, field) for field in CREDENTIAL_FIELDS[part.kind]}
            yield part, {field: str(credential.get(name, "")).strip() for field, name in names.items()}

    def _stored_as(self, part: "AuthScheme", field: str) -> str:
        """Of several parts by their places, so that a catalog that lists them in another order mixes nothing up."""
        return f"{part.place} {field}".replace(" ", "_") if self.also else field

    def to_json(self) -> dict[str, Any]:
        data = asdict(self)
        del data["also"]
        return data | ({"also": [part.to_json() for part in self.also]} if self.also else {})

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "AuthScheme":
        return cls(
            **{
                **data,
                "kind": AuthKind(data["kind"]),
                "scopes": tuple(data.get("scopes", ())),
                "also": tuple(map(cls.from_json, data.get("also", ()))),
            }
        )


_PLACES = {AuthKind.API_KEY_HEADER: "header", AuthKind.API_KEY_QUERY: "query"}


def combined(schemes: Iterable[AuthScheme]) -> AuthScheme | None:
    """One scheme that asks for all of these at once.

    None where no request can carry them: two of them would stand in one place, or one is a sign-in, whose account has
    no form that asks for the others.
    """
    first, *others = schemes
    places = [part.place for part in (first, *others)]
    if len(set(places)) < len(places) or any(it.kind is AuthKind.OAUTH2 for it in (first, *others)):
        return None
    return replace(first, also=tuple(others))
