"""What oauthlib asks while it serves the token and revocation endpoints, answered from our own records.

One instance serves one request, in one transaction: what a request presented is read once, locked, and kept here.
"""

import hmac
from typing import Any

from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.oauth2.rfc6749 import errors

from accesscontrol.bearer_secrets import digest
from accesscontrol.models import AuthorizationCode
from accesscontrol.oauth import addresses
from accesscontrol.permissions import ALL_SCOPES
from accesscontrol.services import client_grants
from accesscontrol.services.client_grants import Presented, TokenPair


class Validator(OAuth2Validator):
    presented: Presented | None = None

    def _load_application(self, client_id: str | None, request: Any) -> Any:
        """The database takes no NUL, and the toolkit looks for another error than ours raises."""
        if client_id is None or "\x00" in client_id:
            return None
        return super()._load_application(client_id, request)  # type: ignore[no-untyped-call]

    def knows_client(self, request: Any) -> bool:
        """Reads a metadata document where that is due."""
        return bool(request.client_id and self.validate_client_id(request.client_id, request))  # type: ignore[no-untyped-call]

    def knows_secret(self, request: Any) -> bool:
        return bool(self.authenticate_client(request))  # type: ignore[no-untyped-call]

    def _check_secret(self, provided_secret: str, stored_secret: str) -> bool:
        """Secrets are 256 random bits that we gave out: their plain digest is enough. A public client has none."""
        return hmac.compare_digest(digest(provided_secret), stored_secret)

    def validate_scopes(self, client_id: str, scopes: list[str], client: Any, request: Any, *_: Any, **__: Any) -> bool:
        """What we do not know is left out (RFC 6749, section 3.3), and told by the `scope` of the answer."""
        request.scopes = [scope for scope in scopes if scope in ALL_SCOPES]
        return bool(request.scopes)

    def is_pkce_required(self, client_id: str, request: Any) -> bool:
        return True

    def rotate_refresh_token(self, request: Any) -> bool:
        return True

    def validate_code(self, client_id: str, code: str, client: Any, request: Any, *_: Any, **__: Any) -> bool:
        row = client_grants.present_code(code=code, client=client)
        self.presented = row
        _check_resource(request)
        if row is None:
            return False
        request.user, request.scopes = row.grant.member.user, list(row.grant.scopes)
        return True

    def get_code_challenge(self, code: str, request: Any) -> str:
        return self._presented_code().code_challenge

    def get_code_challenge_method(self, code: str, request: Any) -> str:
        return "S256"

    def confirm_redirect_uri(
        self, client_id: str, code: str, redirect_uri: str, client: Any, *_: Any, **__: Any
    ) -> bool:
        return self._presented_code().redirect_uri == redirect_uri

    def invalidate_authorization_code(self, *_: Any, **__: Any) -> None:
        """Done with the issue of its tokens."""

    def validate_refresh_token(self, refresh_token: str, client: Any, request: Any, *_: Any, **__: Any) -> bool:
        row = client_grants.present_refresh(token=refresh_token, client=client)
        self.presented = row
        _check_resource(request)
        if row is None:
            return False
        request.user = row.grant.member.user
        return True

    def get_original_scopes(self, refresh_token: str, request: Any, *_: Any, **__: Any) -> list[str]:
        assert self.presented is not None
        return list(self.presented.grant.scopes)

    def save_bearer_token(self, token: dict[str, Any], request: Any, *_: Any, **__: Any) -> None:
        assert self.presented is not None
        pair = TokenPair(access=token["access_token"], refresh=token["refresh_token"])
        client_grants.issue(self.presented, pair=pair, scopes=request.scopes)

    def revoke_token(self, token: str, token_type_hint: str, request: Any, *_: Any, **__: Any) -> None:
        client_grants.end(token=token, client=request.client)

    def _presented_code(self) -> AuthorizationCode:
        assert isinstance(self.presented, AuthorizationCode)
        return self.presented


def _check_resource(request: Any) -> None:
    """RFC 8707: absent means ours, for no other can be meant; empty or foreign is refused."""
    asked = [value for name, value in request.decoded_body or [] if name == "resource"]
    if not all(addresses.is_ours(one) for one in asked):
        raise errors.CustomOAuth2Error(
            error="invalid_target",
            description=f"Tokens are issued here for {addresses.resource()} alone.",
            request=request,
        )
