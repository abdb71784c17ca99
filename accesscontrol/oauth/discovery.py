"""What a client reads first: who protects /mcp (RFC 9728), and what that authorization server does (RFC 8414)."""

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from accesscontrol.oauth import addresses
from accesscontrol.oauth.client_metadata import GRANT_TYPES, SECRET_METHODS
from accesscontrol.oauth.cross_origin import cross_origin
from accesscontrol.permissions import ALL_SCOPES

_CACHE = {"Cache-Control": "public, max-age=300"}


@cross_origin
@require_safe
def protected_resource(request: HttpRequest) -> JsonResponse:
    return JsonResponse(
        {
            "resource": addresses.resource(),
            "authorization_servers": [addresses.issuer()],
            "scopes_supported": list(ALL_SCOPES),
            "bearer_methods_supported": ["header"],
            "resource_name": "elaichi",
        },
        headers=_CACHE,
    )


@cross_origin
@require_safe
def authorization_server(request: HttpRequest) -> JsonResponse:
    return JsonResponse(
        {
            "issuer": addresses.issuer(),
            "authorization_endpoint": addresses.endpoint("oauth-authorize"),
            "token_endpoint": addresses.endpoint("oauth-token"),
            "registration_endpoint": addresses.endpoint("oauth-register"),
            "revocation_endpoint": addresses.endpoint("oauth-revoke"),
            "introspection_endpoint": addresses.endpoint("oauth-introspect"),
            "scopes_supported": list(ALL_SCOPES),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": list(GRANT_TYPES),
            "token_endpoint_auth_methods_supported": ["none", *SECRET_METHODS],
            "revocation_endpoint_auth_methods_supported": ["none", *SECRET_METHODS],
            "introspection_endpoint_auth_methods_supported": list(SECRET_METHODS),
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
            "client_id_metadata_document_supported": True,
        },
        headers=_CACHE,
    )
