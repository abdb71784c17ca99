"""What the authorization server keeps: the clients, and the codes and tokens that hang off a grant.

Only digests are stored: a copy of the database lets nobody in. The grant says who, for whom and how far; a code or a
token is nothing without a live one.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from oauth2_provider.models import AbstractApplication

from accesscontrol.models.grant import Grant
from accesscontrol.tenancy import TenantManager


class OAuthClient(AbstractApplication):
    """An application that asks for access. It registers before any organization is known, so it belongs to none."""

    class Meta(AbstractApplication.Meta):
        verbose_name = "OAuth client"
        ordering = ["name"]

    @property
    def is_verified(self) -> bool:
        """Whether its name comes from a document at its own address, and not from whoever registered it."""
        return bool(self.registration_source == self.RegistrationSource.CIMD)

    @property
    def is_registered_by_operator(self) -> bool:
        return bool(self.registration_source == self.RegistrationSource.MANUAL)


class AuthorizationCode(models.Model):
    """Good for one exchange; kept after it, so that a second one is noticed."""

    tenant_path = "grant__member__organization"

    grant = models.OneToOneField(Grant, on_delete=models.CASCADE, related_name="code")
    code_hash = models.CharField(max_length=64, unique=True, editable=False)
    redirect_uri = models.TextField()
    code_challenge = models.CharField(max_length=43, help_text="S256 alone.")
    resource = models.URLField(max_length=500, help_text="Whom the tokens are for.")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, editable=False)

    objects = TenantManager()

    def __str__(self) -> str:
        return f"Code of {self.grant}"


class AccessToken(models.Model):
    tenant_path = "grant__member__organization"

    grant = models.ForeignKey(Grant, on_delete=models.CASCADE, related_name="access_tokens")
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    scopes = ArrayField(models.CharField(max_length=32))
    resource = models.URLField(max_length=500, blank=True, help_text="Whom it is for.")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()

    objects = TenantManager()

    def __str__(self) -> str:
        return f"Access token of {self.grant}"


class RefreshToken(models.Model):
    """Used once and kept: that a used one comes back says that somebody has a copy."""

    tenant_path = "grant__member__organization"

    grant = models.ForeignKey(Grant, on_delete=models.CASCADE, related_name="refresh_tokens")
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    resource = models.URLField(max_length=500)
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True, editable=False)

    objects = TenantManager()

    def __str__(self) -> str:
        return f"Refresh token of {self.grant}"


class EndedSecret(models.Model):
    """The digest of a code or token whose grant has ended: it opens nothing, and tells whose it was."""

    tenant_path = "grant__member__organization"

    grant = models.ForeignKey(Grant, on_delete=models.CASCADE, related_name="ended_secrets")
    secret_hash = models.CharField(max_length=64, unique=True, editable=False)
    ended_at = models.DateTimeField(auto_now_add=True)

    objects = TenantManager()

    def __str__(self) -> str:
        return f"Ended secret of {self.grant}"
