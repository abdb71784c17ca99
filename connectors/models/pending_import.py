"""Catalog documents that somebody was shown the effect of, kept until they say that it is to happen."""

from uuid import uuid4

from django.contrib.postgres.fields import ArrayField
from django.db import models

from accesscontrol.models import Organization, User
from accesscontrol.tenancy import TenantManager
from connectors.models.connector import Connector


class PendingImport(models.Model):
    """For the person who brought them, and for an hour: what is imported in the end is exactly what they looked at."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="pending_imports")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="pending_imports")
    slug = models.CharField(max_length=48)
    label = models.CharField(max_length=100)
    kind = models.CharField(max_length=16, choices=Connector.Kind, default=Connector.Kind.OPENAPI)
    base_url = models.URLField(max_length=500, blank=True)
    sources = ArrayField(models.CharField(max_length=500), help_text="The URL or the file's name of each document.")
    documents = ArrayField(models.BinaryField(), help_text="As they came; of an MCP server, the catalog as read.")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(db_index=True)

    objects = TenantManager()

    class Meta:
        ordering = ["created_at"]

    def __str__(self) -> str:
        return f"{self.label} from {', '.join(self.sources)}"
