"""Bearer tokens at /mcp."""

from django.conf import settings
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accesscontrol.caller import Caller
from accesscontrol.exceptions import InvalidToken
from accesscontrol.models import User
from accesscontrol.permissions import Scope
from accesscontrol.services import grants

REQUIRED_SCOPES = " ".join((Scope.READ, Scope.WRITE, Scope.TOOLS))


def challenge() -> str:
    """The `WWW-Authenticate` value: where the resource's metadata is (RFC 9728) and which scopes to ask for."""
    metadata = f"{settings.PUBLIC_URL}/.well-known/oauth-protected-resource/mcp"
    return f'Bearer resource_metadata="{metadata}", scope="{REQUIRED_SCOPES}"'


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer …`, never a query parameter (RFC 6750, section 2.3 warns of those)."""

    def authenticate(self, request: Request) -> tuple[User, Caller]:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise AuthenticationFailed("Send a bearer token in the Authorization header.")
        try:
            caller = grants.authenticate(token.strip())
        except InvalidToken as error:
            raise AuthenticationFailed(str(error)) from None
        return caller.member.user, caller

    def authenticate_header(self, request: Request) -> str:
        return challenge()
