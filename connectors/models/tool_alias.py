"""A name that a tool had before its product renamed it: calls by it are still understood for a while."""

from uuid import uuid4

from django.db import models

from accesscontrol.tenancy import TenantManager
from connectors.models.connector import Connector
from connectors.models.tool import Tool


class ToolAlias(models.Model):
    """Never a name that a tool of the connector has now."""

    tenant_path = "connector__organization"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    connector = models.ForeignKey(Connector, on_delete=models.CASCADE, related_name="tool_aliases")
    name = models.CharField(max_length=200)
    tool = models.ForeignKey(Tool, on_delete=models.CASCADE, related_name="aliases")
    expires_at = models.DateTimeField()

    objects = TenantManager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["connector", "name"], name="tool_alias_name_is_unique_in_connector")
        ]

    def __str__(self) -> str:
        return f"{self.connector.slug}.{self.name}"
