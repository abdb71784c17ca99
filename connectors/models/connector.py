"""A product that an organization can talk to."""

from urllib.parse import urlsplit
from uuid import uuid4

from django.core.validators import RegexValidator
from django.db import models

from accesscontrol.models import Organization
from accesscontrol.tenancy import TenantManager
from connectors.auth_scheme import AuthKind, AuthScheme

SLUG_PATTERN = r"^[a-z0-9]+(?:[-_][a-z0-9]+)*$"


class Connector(models.Model):
    class Kind(models.TextChoices):
        OPENAPI = "openapi", "OpenAPI"
        MCP = "mcp", "Remote MCP server"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="connectors")
    slug = models.CharField(
        max_length=48,
        validators=[RegexValidator(SLUG_PATTERN, "Use lower-case letters, digits and single dashes.")],
        help_text="Prefixes the names of its tools and names it in restrictions; it never changes.",
    )
    label = models.CharField(max_length=100, help_text="The product's name, as people write it.")
    aliases = models.JSONField(default=list, blank=True, help_text="Other names that people use for it.")
    kind = models.CharField(max_length=16, choices=Kind, default=Kind.OPENAPI)
    base_url = models.URLField(max_length=500, help_text="Every call goes to this host.")
    hosts = models.JSONField(
        default=list,
        blank=True,
        help_text="Other hosts that its calls may go to with the account's credential, over https.",
    )
    auth = models.JSONField(
        default=dict,
        blank=True,
        help_text="The scheme in use: its kind, and the header or query name of a key.",
    )
    auth_schemes = models.JSONField(default=list, blank=True, editable=False, help_text="What the catalog offers.")
    lineage = models.JSONField(
        default=list,
        blank=True,
        editable=False,
        help_text="Slugs of what this was forked from, nearest first.",
    )
    forked_from = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, editable=False, related_name="forks"
    )
    catalog_url = models.URLField(max_length=500, blank=True, help_text="Where its catalog was last read from.")
    max_concurrent_calls = models.PositiveSmallIntegerField(
        default=10, help_text="How many calls may run through one account at a time."
    )
    calls_per_minute = models.PositiveIntegerField(
        null=True, blank=True, help_text="How many calls one account may take in a minute; empty for no limit."
    )
    enabled = models.BooleanField(default=True)
    catalog_version = models.PositiveIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = TenantManager()

    class Meta:
        ordering = ["label", "slug"]
        constraints = [
            models.UniqueConstraint(fields=["organization", "slug"], name="connector_slug_is_unique_in_organization")
        ]

    def __str__(self) -> str:
        return self.label

    def declares(self, scheme: str, netloc: str) -> bool:
        """Whether a call of this connector may go to this place: its own address, or one of its other hosts."""
        home = urlsplit(self.base_url)
        own = (home.scheme, home.netloc.lower())
        return (scheme, netloc.lower()) == own or (scheme == "https" and netloc.lower() in self.hosts)

    @property
    def auth_scheme(self) -> AuthScheme:
        return AuthScheme.from_json(self.auth) if self.auth else AuthScheme(kind=AuthKind.NONE)

    def set_auth_schemes(self, schemes: tuple[AuthScheme, ...]) -> None:
        """Keeps what the catalog offers; takes the first where none is chosen yet."""
        self.auth_schemes = [scheme.to_json() for scheme in schemes]
        if not self.auth and self.auth_schemes:
            self.auth = self.auth_schemes[0]
