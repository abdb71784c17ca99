"""Calls of one account that are running or ran in the last minute: what its limits are counted over."""

from uuid import uuid4

from django.db import models

from accesscontrol.tenancy import TenantManager
from connectors.models.connection import Connection


class RunningCall(models.Model):
    """`ended_at` is empty while it runs; past `deadline` it counts as ended, since its process may have been killed."""

    tenant_path = "connection__connector__organization"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    connection = models.ForeignKey(Connection, on_delete=models.CASCADE, related_name="calls")
    started_at = models.DateTimeField()
    deadline = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, editable=False)

    objects = TenantManager()

    class Meta:
        ordering = ["started_at"]
        indexes = [models.Index(fields=["connection", "started_at"], name="running_call_of_connection")]

    def __str__(self) -> str:
        return f"{self.connection} at {self.started_at}"
