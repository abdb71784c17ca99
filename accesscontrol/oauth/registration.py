"""POST /oauth/register: a client makes itself known (RFC 7591). Anybody may, so it is limited, and swept."""

import json
import logging
from typing import Any

from django.utils import timezone
from rest_framework.parsers import JSONParser
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from accesscontrol.bearer_secrets import digest, new_secret
from accesscontrol.models import OAuthClient
from accesscontrol.oauth.client_metadata import ClientMetadata, UnusableClient, narrowed

logger = logging.getLogger(__name__)


class RegistrationThrottle(SimpleRateThrottle):
    """By address: one office registers its people's clients, a flood does not fill the table."""

    scope = "oauth_registration"

    def get_cache_key(self, request: Request, view: APIView) -> str:
        return self.cache_format % {"scope": self.scope, "ident": self.get_ident(request)}


class RegistrationView(APIView):
    permission_classes = (AllowAny,)
    throttle_classes = (RegistrationThrottle,)
    parser_classes = (JSONParser,)

    def post(self, request: Request) -> Response:
        said = request.data
        try:
            metadata = narrowed(said if isinstance(said, dict) else {})
        except UnusableClient as unusable:
            logger.info("a client was not registered: %s", unusable.code)
            return Response({"error": unusable.code, "error_description": str(unusable)}, status=400)
        return Response(register(metadata), status=201, headers={"Cache-Control": "no-store"})


def register(
    metadata: ClientMetadata,
    *,
    source: OAuthClient.RegistrationSource = OAuthClient.RegistrationSource.DCR,
) -> dict[str, Any]:
    """Stores the client; answers what was registered, with a secret only for who asked for one."""
    secret = "" if metadata.is_public else new_secret()
    client = OAuthClient(
        client_id=new_secret(),
        name=metadata.name,
        redirect_uris=" ".join(metadata.redirect_uris),
        client_type=OAuthClient.CLIENT_PUBLIC if metadata.is_public else OAuthClient.CLIENT_CONFIDENTIAL,
        # The toolkit wants an address with a code; a service without one gets a grant that is not served here.
        authorization_grant_type=OAuthClient.GRANT_AUTHORIZATION_CODE
        if metadata.redirect_uris
        else OAuthClient.GRANT_CLIENT_CREDENTIALS,
        client_secret=digest(secret) if secret else "",
        hash_client_secret=False,
        registration_source=source,
    )
    client.full_clean()
    client.save()
    logger.info("a client registered: %s", json.dumps(metadata.name))
    answer = {"client_id": client.client_id, "client_id_issued_at": int(timezone.now().timestamp())}
    if secret:
        answer |= {"client_secret": secret, "client_secret_expires_at": 0}
    return answer | metadata.as_registered()
