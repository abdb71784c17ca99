"""The addresses of the authorization server; each form of a discovery address that some client asks for."""

from django.urls import path

from accesscontrol.oauth import discovery, tokens
from accesscontrol.oauth.authorize import authorize
from accesscontrol.oauth.cross_origin import cross_origin
from accesscontrol.oauth.registration import RegistrationView

urlpatterns = [
    path(".well-known/oauth-protected-resource", discovery.protected_resource),
    path(".well-known/oauth-protected-resource/mcp", discovery.protected_resource, name="oauth-protected-resource"),
    path(".well-known/oauth-authorization-server", discovery.authorization_server, name="oauth-metadata"),
    path(".well-known/oauth-authorization-server/mcp", discovery.authorization_server),
    path(".well-known/openid-configuration", discovery.authorization_server),
    path(".well-known/openid-configuration/mcp", discovery.authorization_server),
    path("oauth/authorize", authorize, name="oauth-authorize"),
    path("oauth/token", tokens.token, name="oauth-token"),
    path("oauth/register", cross_origin(RegistrationView.as_view()), name="oauth-register"),
    path("oauth/revoke", tokens.revoke, name="oauth-revoke"),
    path("oauth/introspect", tokens.introspect, name="oauth-introspect"),
]
