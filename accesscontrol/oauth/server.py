"""oauthlib's server for one request: it serves the code and refresh grants and revocation, nothing else."""

from oauth2_provider.oauth2_backends import OAuthLibCore
from oauthlib.oauth2.rfc6749.endpoints.pre_configured import WebApplicationServer

from accesscontrol.oauth.validator import Validator
from accesscontrol.services import client_grants


def server_for_one_request() -> tuple[OAuthLibCore, Validator]:
    validator = Validator()
    server = WebApplicationServer(
        validator,
        token_generator=client_grants.new_access_token,
        refresh_token_generator=client_grants.new_refresh_token,
        token_expires_in=int(client_grants.ACCESS_LIFETIME.total_seconds()),
    )
    return OAuthLibCore(server), validator
