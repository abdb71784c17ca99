"""One authorized account at a connector."""

from uuid import uuid4

from django.db import models

from accesscontrol.models import Member
from accesscontrol.tenancy import TenantManager
from connectors.credentials.fields import EncryptedJSONField
from connectors.models.connector import Connector


class Connection(models.Model):
    tenant_path = "connector__organization"

    class Status(models.TextChoices):
        PENDING = "pending", "Pending"
        ACTIVE = "active", "Active"
        NEEDS_REAUTH = "needs_reauth", "Needs signing in again"
        DISCONNECTED = "disconnected", "Disconnected"
        ERROR = "error", "Error"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    connector = models.ForeignKey(Connector, on_delete=models.CASCADE, related_name="connections")
    owner = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="connections")
    label = models.CharField(max_length=100, help_text="Tells this account from others of the same product.")
    remote_account = models.CharField(max_length=200, blank=True, help_text="Who we are there.")
    status = models.CharField(max_length=16, choices=Status, default=Status.PENDING)
    status_reason = models.CharField(max_length=300, blank=True)
    credential = EncryptedJSONField(default=dict, blank=True, editable=False)
    paused_until = models.DateTimeField(
        null=True, editable=False, help_text="Until then the product asked not to be called through this account."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = TenantManager()

    class Meta:
        ordering = ["connector__label", "label"]
        constraints = [
            models.UniqueConstraint(
                fields=["owner", "connector", "label"],
                name="connection_label_is_unique_for_owner_and_connector",
            )
        ]

    def __str__(self) -> str:
        return f"{self.connector.label}: {self.label}"
