"""What lets one client act for one member; live until it is revoked or expires."""

from datetime import datetime
from uuid import uuid4

from django.contrib.postgres.fields import ArrayField
from django.db import models

from accesscontrol.models.member import Member
from accesscontrol.permissions import Scope
from accesscontrol.tenancy import TenantManager, TenantQuerySet


class GrantQuerySet(TenantQuerySet["Grant"]):
    def live(self, now: datetime) -> "GrantQuerySet":
        return self.filter(models.Q(expires_at__isnull=True) | models.Q(expires_at__gt=now), revoked_at__isnull=True)


class GrantManager(TenantManager["Grant"]):
    def get_queryset(self) -> GrantQuerySet:
        return GrantQuerySet(self.model, using=self._db)

    def live(self, now: datetime) -> GrantQuerySet:
        return self.get_queryset().live(now)


class Grant(models.Model):
    tenant_path = "member__organization"

    class Kind(models.TextChoices):
        OAUTH = "oauth", "Signed-in client"
        TOKEN = "token", "Personal token"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="grants")
    kind = models.CharField(max_length=8, choices=Kind)
    client_name = models.CharField(max_length=120, help_text="Which client or script this is for.")
    scopes = ArrayField(models.CharField(max_length=32, choices=[(s.value, s.value) for s in Scope]), default=list)
    toolboxes = ArrayField(
        models.UUIDField(),
        default=list,
        blank=True,
        editable=False,
        help_text="Only the tools of these toolboxes; empty for all of the member's tools.",
    )
    client = models.ForeignKey(
        "accesscontrol.OAuthClient",
        on_delete=models.PROTECT,
        null=True,
        editable=False,
        related_name="grants",
        help_text="Which client signed in; none for a personal token.",
    )
    token_hash = models.CharField(max_length=64, unique=True, null=True, editable=False)  # noqa: DJ001 NULL is "none", and unique
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, editable=False)
    revoked_at = models.DateTimeField(null=True, editable=False)
    revoked_reason = models.CharField(max_length=120, blank=True, editable=False)

    objects = GrantManager()

    class Meta:
        ordering = ["-created_at"]
        indexes = [
            models.Index(fields=["member"], condition=models.Q(revoked_at__isnull=True), name="grant_live_of_member")
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind="token", client__isnull=True, token_hash__isnull=False)
                | models.Q(kind="oauth", client__isnull=False, token_hash__isnull=True),
                name="grant_is_a_token_or_a_client_s",
            )
        ]

    def __str__(self) -> str:
        return f"{self.client_name} for {self.member}"
