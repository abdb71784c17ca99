"""A one-time page on which a member authorizes an account at a connector."""

from uuid import uuid4

from django.db import models

from accesscontrol.models import Member
from accesscontrol.tenancy import TenantManager
from connectors.credentials.fields import EncryptedJSONField
from connectors.models.connection import Connection
from connectors.models.connector import Connector


class ConnectSession(models.Model):
    """Open until it is completed, closed or expired. With a connection, that one is authorized anew."""

    tenant_path = "member__organization"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="connect_sessions")
    connector = models.ForeignKey(Connector, on_delete=models.CASCADE, related_name="connect_sessions")
    connection = models.ForeignKey(
        Connection, on_delete=models.CASCADE, null=True, blank=True, related_name="connect_sessions"
    )
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    # Of an OAuth sign-in under way: the hash of its `state`, and what the callback needs (PKCE verifier, label).
    state_hash = models.CharField(max_length=64, blank=True, editable=False, db_index=True)
    flow = EncryptedJSONField(default=dict, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, editable=False)

    objects = TenantManager()

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.connector} for {self.member}"
