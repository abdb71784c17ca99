"""What happened, who did it and how it ended. Rows are only ever added."""

from uuid import uuid4

from django.db import models

from accesscontrol.models.member import Member
from accesscontrol.models.organization import Organization
from accesscontrol.tenancy import TenantManager


class Surface(models.TextChoices):
    MCP = "mcp", "MCP"
    ADMIN = "admin", "Admin"
    API = "api", "API"
    SYSTEM = "system", "System"


class AuditEvent(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    organization = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="audit_events")
    at = models.DateTimeField(auto_now_add=True)
    actor = models.ForeignKey(Member, on_delete=models.PROTECT, null=True, related_name="audit_events")
    surface = models.CharField(max_length=8, choices=Surface)
    client = models.CharField(max_length=120, blank=True)
    action = models.CharField(max_length=60)
    target = models.CharField(max_length=300, blank=True)
    connection = models.CharField(max_length=300, blank=True, help_text="Through which account.")
    outcome = models.CharField(max_length=40, help_text="`ok`, or the code of the refusal or failure.")
    duration_ms = models.PositiveIntegerField(null=True)
    request_id = models.CharField(max_length=64, blank=True)
    detail = models.JSONField(default=dict, help_text="Counts and codes; never an argument's value or a secret.")

    objects = TenantManager()

    class Meta:
        ordering = ["-at"]
        indexes = [
            models.Index(fields=["organization", "-at"], name="audit_by_time"),
            models.Index(fields=["organization", "actor", "-at"], name="audit_by_actor"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.target}: {self.outcome}"
