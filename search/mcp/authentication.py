"""Bearer tokens at /mcp."""

from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accesscontrol.caller import Caller
from accesscontrol.exceptions import InvalidToken
from accesscontrol.models import User
from accesscontrol.oauth import addresses
from accesscontrol.permissions import Scope
from accesscontrol.services import grants

INVALID = "invalid_token"
REQUIRED_SCOPES = " ".join((Scope.READ, Scope.WRITE, Scope.TOOLS))


def challenge(error: str = "", scopes: str = REQUIRED_SCOPES) -> str:
    """The `WWW-Authenticate` value: where the resource's metadata is (RFC 9728) and which scopes to ask for.

    `error` is RFC 6750's, and absent where no token was sent.
    """
    metadata = addresses.endpoint("oauth-protected-resource")
    what = f'error="{error}", ' if error else ""
    return f'Bearer {what}resource_metadata="{metadata}", scope="{scopes}"'


def challenge_for_more(caller: Caller, missing: str) -> str:
    """Names what the client has besides what it lacks: it asks for all of it anew."""
    return challenge("insufficient_scope", " ".join(sorted({*caller.scopes, missing})))


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer …`, never a query parameter (RFC 6750, section 2.3 warns of those)."""

    def authenticate(self, request: Request) -> tuple[User, Caller]:
        if in_address := request.query_params.get("access_token"):
            grants.refuse_in_address(in_address)
            raise AuthenticationFailed("Send the token in the Authorization header, never in the address.", INVALID)
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise AuthenticationFailed("Send a bearer token in the Authorization header.")
        try:
            caller = grants.authenticate(token.strip())
        except InvalidToken as error:
            raise AuthenticationFailed(str(error), INVALID) from None
        return caller.member.user, caller

    def authenticate_header(self, request: Request) -> str:
        return challenge()
