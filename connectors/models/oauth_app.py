"""The application that an organization registered with a product, in whose name its people sign in there."""

from uuid import uuid4

from django.db import models

from accesscontrol.tenancy import TenantManager
from connectors.credentials.fields import EncryptedJSONField
from connectors.models.connector import Connector


class OAuthApp(models.Model):
    """The addresses are written here by an administrator, or taken from the connector's auth scheme where empty."""

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
