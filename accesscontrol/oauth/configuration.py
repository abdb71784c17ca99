"""What django-oauth-toolkit is told. Imported by the settings, so it imports nothing of Django."""

from typing import Any

from accesscontrol.oauth.scopes import DEFAULT_SCOPES, SCOPE_WORDS

APP_SCHEMES = ("cursor", "vscode", "vscode-insiders", "windsurf")
"""Programs that are called back by an address of their own kind, besides https pages and loopback ports."""


def oauth_provider(*, public_url: str, client_documents: str) -> dict[str, Any]:
    """`client_documents` names the class that fetches a client's metadata document, past the egress guard."""
    return {
        "SCOPES": {scope.value: words for scope, words in SCOPE_WORDS.items()},
        "DEFAULT_SCOPES": [scope.value for scope in DEFAULT_SCOPES],
        "OAUTH2_VALIDATOR_CLASS": "accesscontrol.oauth.validator.Validator",
        "OAUTH2_SERVER_CLASS": "oauthlib.oauth2.WebApplicationServer",
        "OIDC_ISS_ENDPOINT": public_url,
        "ALLOWED_REDIRECT_URI_SCHEMES": ["https", "http", *APP_SCHEMES],
        "ALLOW_LOCALHOST_LOOPBACK": True,
        "ACCESS_TOKEN_EXPIRE_SECONDS": 3600,
        "ROTATE_REFRESH_TOKEN": True,
        "REFRESH_TOKEN_REUSE_PROTECTION": True,
        "PKCE_REQUIRED": True,
        "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
        "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
        "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
        "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
        "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
        "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE": True,
        "COMPLIANT_BCP_RFC9700_REFRESH_TOKEN": True,
        "COMPLIANT_BCP_RFC9700_REDIRECT_URI_MATCHING": True,
        "COMPLIANT_BCP_RFC9700_PKCE_REQUIRED": True,
        "CIMD_ENABLED": True,
        "CIMD_METADATA_FETCHER": client_documents,
    }
