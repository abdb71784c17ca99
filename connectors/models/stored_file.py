"""A file that a call brought back, or that a member brought for a call to send."""

from datetime import date
from uuid import uuid4

from django.db import models

from accesscontrol.models import Member
from accesscontrol.tenancy import TenantManager
from connectors.models.connection import Connection
from connectors.models.connector import Connector


def _path(file: "StoredFile", name: str) -> str:
    """Nothing of the file's own name: that came from somebody else."""
    return f"files/{date.today():%Y/%m}/{file.pk}"


class StoredFile(models.Model):
    """Belongs to one member, whoever's account it came through. Gone for everybody after `expires_at`."""

    tenant_path = "member__organization"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="files")
    # Where it came from; none of these for a file that the member brought.
    connector = models.ForeignKey(Connector, on_delete=models.CASCADE, null=True, blank=True, related_name="files")
    tool = models.CharField(max_length=200, blank=True, help_text="The tool's name at its connector.")
    connection = models.ForeignKey(Connection, on_delete=models.SET_NULL, null=True, blank=True, related_name="files")
    name = models.CharField(max_length=255)
    media_type = models.CharField(max_length=100)
    size = models.PositiveBigIntegerField(help_text="In bytes.")
    sha256 = models.CharField(max_length=64)
    content = models.FileField(upload_to=_path, max_length=200)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(db_index=True)

    objects = TenantManager()

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.name
