"""One operation of a connector, as its catalog names it."""

from uuid import uuid4

from django.db import models

from accesscontrol.policy import ToolRef
from accesscontrol.tenancy import TenantManager
from connectors.models.connector import Connector


class Tool(models.Model):
    tenant_path = "connector__organization"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    connector = models.ForeignKey(Connector, on_delete=models.CASCADE, related_name="tools")
    name = models.CharField(max_length=200, help_text="In snake_case, without the connector's own name.")
    operation = models.CharField(max_length=300, help_text="How the catalog names it.")
    description = models.TextField(blank=True)
    input_schema = models.JSONField(default=dict)
    annotations = models.JSONField(default=dict)
    binding = models.JSONField(default=dict, editable=False)
    baseline = models.JSONField(
        default=dict,
        editable=False,
        help_text="In a fork: a digest of each field as it was upstream when it was last taken from there.",
    )
    upstream_name = models.CharField(
        max_length=200, blank=True, editable=False, help_text="In a fork: its name upstream when it was last taken."
    )
    former_names = models.JSONField(
        default=list, editable=False, help_text="What it was called before, here or upstream; blocks hold by these too."
    )
    deprecated = models.BooleanField(default=False)
    enabled = models.BooleanField(default=True)

    objects = TenantManager()

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["connector", "name"], name="tool_name_is_unique_in_connector")]

    def __str__(self) -> str:
        return f"{self.connector.slug}.{self.name}"

    @property
    def ref(self) -> ToolRef:
        """What the resolver is asked about."""
        return self.ref_in(self.connector)

    def ref_in(self, connector: Connector) -> ToolRef:
        """Where its connector is at hand already."""
        return ToolRef(connector.slug, tuple(connector.lineage), self.name, tuple(self.former_names))

    def know_as(self, *names: str) -> None:
        """Keeps these as what it was called before, so that the blocks which name them hold."""
        self.former_names = [name for name in dict.fromkeys([*self.former_names, *names]) if name != self.name]
