"""The application that an organization registered with a product, in whose name its people sign in there."""

import re
from typing import Any
from uuid import uuid4

from django.core.exceptions import ValidationError
from django.db import models

from accesscontrol.tenancy import TenantManager
from connectors.credentials.fields import EncryptedJSONField
from connectors.credentials.oauth.addresses import origin, problem_of
from connectors.models.connector import Connector

# RFC 6749, appendices A.1 and A.4.
_CLIENT_ID = re.compile(r"[\x20-\x7e]+")
_SCOPE = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]+")
_OURS = frozenset(
    [
        "client_id",
        "client_secret",
        "code_challenge",
        "code_challenge_method",
        "redirect_uri",
        "response_type",
        "scope",
        "state",
    ]
)
"""Parameters of the authorization request that are not an administrator's to set."""


class OAuthApp(models.Model):
    """The addresses are an administrator's; one left empty is taken from the connector's auth scheme when it is saved.

    Kept here from then on: a later change of the connector must not lead refresh tokens elsewhere.
    """

    tenant_path = "connector__organization"

    class GrantType(models.TextChoices):
        AUTHORIZATION_CODE = "authorization_code", "Each person signs in (authorization code)"
        CLIENT_CREDENTIALS = "client_credentials", "The application itself (client credentials)"

    class ClientAuthentication(models.TextChoices):
        """RFC 6749, 2.3.1, by the names of RFC 7591."""

        BASIC = "client_secret_basic", "Client secret in the Authorization header"
        POST = "client_secret_post", "Client secret in the body"
        NONE = "none", "No client secret (public client)"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    connector = models.OneToOneField(Connector, on_delete=models.CASCADE, related_name="oauth_app")
    grant_type = models.CharField(max_length=32, choices=GrantType, default=GrantType.AUTHORIZATION_CODE)
    client_id = models.CharField(max_length=300)
    client_secret = EncryptedJSONField(default=dict, blank=True, editable=False)
    client_authentication = models.CharField(
        max_length=32, choices=ClientAuthentication, default=ClientAuthentication.BASIC
    )
    authorization_url = models.URLField(max_length=500, blank=True)
    token_url = models.URLField(max_length=500, blank=True)
    revocation_url = models.URLField(
        max_length=500,
        blank=True,
        help_text="Told when an account is disconnected (RFC 7009); at the token address's host.",
    )
    issuer = models.URLField(
        max_length=500,
        blank=True,
        help_text="How the sign-in page names itself when it sends people back (RFC 9207); another name is refused.",
    )
    scopes = models.JSONField(default=list, blank=True, help_text="Asked for when somebody connects.")
    authorization_parameters = models.JSONField(
        default=dict, blank=True, help_text='Sent along to the sign-in page, such as {"access_type": "offline"}.'
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = TenantManager()

    class Meta:
        verbose_name = "OAuth application"
        ordering = ["connector__label"]

    def __str__(self) -> str:
        return f"{self.connector.label} ({self.client_id})"

    def clean(self) -> None:
        """Takes the addresses left empty from the connector's auth scheme. Raises ValidationError."""
        scheme = self.connector.auth_scheme
        self.authorization_url = self.authorization_url or scheme.authorization_url
        self.token_url = self.token_url or scheme.token_url
        errors = {name: said for name, said in self._problems().items() if said}
        if errors:
            raise ValidationError(errors)

    def _problems(self) -> dict[str, str]:
        signs_in = self.grant_type == self.GrantType.AUTHORIZATION_CODE
        return {
            "client_id": "" if _CLIENT_ID.fullmatch(self.client_id) else "Use plain ASCII characters.",
            "authorization_url": _address_problem(self.authorization_url) if signs_in else "",
            "token_url": _address_problem(self.token_url),
            "revocation_url": self._revocation_problem(),
            "scopes": "" if _are_scopes(self.scopes) else "Enter each scope as one word.",
            "authorization_parameters": _parameters_problem(self.authorization_parameters),
        }

    def _revocation_problem(self) -> str:
        """Refresh tokens are sent there, too, and without anybody being asked."""
        if self.revocation_url and origin(self.revocation_url) != origin(self.token_url):
            return "It must be at the same host as the token address."
        return problem_of(self.revocation_url) if self.revocation_url else ""


def _address_problem(url: str) -> str:
    return problem_of(url) if url else "The connector's catalog does not name this address: enter it."


def _are_scopes(scopes: Any) -> bool:
    return isinstance(scopes, list) and all(isinstance(scope, str) and _SCOPE.fullmatch(scope) for scope in scopes)


def _parameters_problem(parameters: Any) -> str:
    if not isinstance(parameters, dict) or not all(isinstance(value, str) for value in parameters.values()):
        return 'Enter an object of texts, such as {"access_type": "offline"}.'
    if taken := sorted(_OURS & parameters.keys()):
        return f"{', '.join(taken)} can't be set here."
    return ""
