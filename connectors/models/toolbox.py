"""Curated tools: a toolbox, its frozen tools, and the accounts that they are pinned to.

A frozen tool names its tool by connector and name, not by foreign key: it outlives a re-import that drops the tool and
brings it back.
"""

from uuid import uuid4

from django.db import models
from django.db.models import Q

from accesscontrol.models import Member, Organization
from accesscontrol.tenancy import TenantManager
from connectors.models.connection import Connection
from connectors.models.connector import Connector

MAX_SKILL = 10_000


class Toolbox(models.Model):
    """Belongs to the member who made it; others have it by a share, a template by making their own of it."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="toolboxes")
    owner = models.ForeignKey(Member, on_delete=models.PROTECT, related_name="toolboxes")
    name = models.CharField(max_length=100)
    description = models.CharField(max_length=500, blank=True)
    skill = models.TextField(
        max_length=MAX_SKILL, blank=True, help_text="Instructions for the model that uses these tools."
    )
    is_template = models.BooleanField(default=False, help_text="Others make their own toolbox of it.")
    stamped_from = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, editable=False, related_name="stamped"
    )
    enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = TenantManager()

    class Meta:
        verbose_name_plural = "toolboxes"
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["owner", "name"], name="toolbox_name_is_unique_for_owner"),
        ]

    def __str__(self) -> str:
        return self.name


class FrozenTool(models.Model):
    """`fixed` holds argument values that a caller cannot set, `defaults` those that a caller may replace.

    Both are JSON objects shaped as the tool's arguments are; within a nested object only the given members are fixed.
    """

    tenant_path = "toolbox__organization"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    toolbox = models.ForeignKey(Toolbox, on_delete=models.CASCADE, related_name="frozen_tools")
    connector = models.ForeignKey(Connector, on_delete=models.CASCADE, related_name="frozen_tools")
    tool = models.CharField(max_length=200, help_text="The tool's name at its connector.")
    name = models.CharField(max_length=60, blank=True, help_text="Instead of the name it would be advertised under.")
    description = models.TextField(max_length=2_000, blank=True, help_text="Instead of the tool's own.")
    fixed = models.JSONField(default=dict, blank=True)
    defaults = models.JSONField(default=dict, blank=True)
    # Said apart from the pins themselves: when they have ended, the tool ends, and never takes its caller's account.
    pinned = models.BooleanField(
        default=False, help_text="Runs through the accounts it is pinned to alone, not through its caller's own."
    )
    enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = TenantManager()

    class Meta:
        ordering = ["created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["toolbox", "name"], condition=~Q(name=""), name="frozen_tool_name_is_unique_in_toolbox"
            ),
        ]

    def __str__(self) -> str:
        return self.name or f"{self.connector.slug}.{self.tool}"


class Pin(models.Model):
    """An account that a frozen tool runs through for everybody, on the authority of the member who pinned it."""

    tenant_path = "frozen_tool__toolbox__organization"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    frozen_tool = models.ForeignKey(FrozenTool, on_delete=models.CASCADE, related_name="pins")
    connection = models.ForeignKey(Connection, on_delete=models.CASCADE, related_name="pins")
    pinned_by = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="pins")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TenantManager()

    class Meta:
        ordering = ["created_at"]
        constraints = [
            models.UniqueConstraint(fields=["frozen_tool", "connection"], name="pin_is_unique_for_frozen_tool")
        ]

    def __str__(self) -> str:
        return f"{self.frozen_tool} through {self.connection}"
