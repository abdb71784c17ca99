"""What a refused member asked for, and what became of it. Denied and withdrawn requests are kept.

It names a connector and a tool as restrictions do, by slug and name: what was asked outlives an import.
"""

from uuid import uuid4

from django.db import models

from accesscontrol.models.member import Member
from accesscontrol.tenancy import TenantManager, TenantQuerySet

MAX_REASON = 500
MAX_ANSWER = 300


def target_of(connector: str, tool: str) -> str:
    """As people read it: `notion.create_page`, or `notion` for all of it."""
    return f"{connector}.{tool}" if tool else connector


class AccessRequestQuerySet(TenantQuerySet["AccessRequest"]):
    def open(self) -> "AccessRequestQuerySet":
        return self.filter(state=AccessRequest.State.OPEN)


class AccessRequestManager(TenantManager["AccessRequest"]):
    def get_queryset(self) -> AccessRequestQuerySet:
        return AccessRequestQuerySet(self.model, using=self._db)

    def open(self) -> AccessRequestQuerySet:
        return self.get_queryset().open()


class AccessRequest(models.Model):
    tenant_path = "member__organization"

    class State(models.TextChoices):
        OPEN = "open", "Open"
        APPROVED = "approved", "Approved"
        DENIED = "denied", "Denied"
        WITHDRAWN = "withdrawn", "Withdrawn"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="access_requests")
    connector = models.CharField(max_length=48, help_text="Slug of the connector.")
    tool = models.CharField(max_length=200, blank=True, help_text="Name of one tool; empty for the whole connector.")
    reason = models.CharField(max_length=MAX_REASON, blank=True, help_text="Why, in the words of who asks.")
    times_asked = models.PositiveIntegerField(default=0, help_text="Repeated asks are one request.")
    state = models.CharField(max_length=12, choices=State, default=State.OPEN)
    created_at = models.DateTimeField(auto_now_add=True)
    last_asked_at = models.DateTimeField(auto_now_add=True)
    resolved_at = models.DateTimeField(null=True, editable=False)
    resolved_by = models.ForeignKey(Member, on_delete=models.SET_NULL, null=True, editable=False, related_name="+")
    answer = models.CharField(max_length=MAX_ANSWER, blank=True, help_text="Shown to who asked.")

    objects = AccessRequestManager()

    class Meta:
        ordering = ["-last_asked_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["member", "connector", "tool"],
                condition=models.Q(state="open"),
                name="access_request_is_open_once",
            ),
            models.CheckConstraint(
                condition=models.Q(state="open") ^ models.Q(resolved_at__isnull=False),
                name="access_request_is_open_until_resolved",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.target} for {self.member}"

    @property
    def target(self) -> str:
        return target_of(self.connector, self.tool)


class ExemptionQuerySet(TenantQuerySet["Exemption"]):
    def live(self) -> "ExemptionQuerySet":
        return self.filter(revoked_at__isnull=True)


class ExemptionManager(TenantManager["Exemption"]):
    def get_queryset(self) -> ExemptionQuerySet:
        return ExemptionQuerySet(self.model, using=self._db)

    def live(self) -> ExemptionQuerySet:
        return self.get_queryset().live()


class Exemption(models.Model):
    """What an approved request gave one member: the denials of their role's rules do not hold for what it names."""

    tenant_path = "member__organization"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="exemptions")
    request = models.OneToOneField(AccessRequest, on_delete=models.RESTRICT, related_name="exemption")
    connector = models.CharField(max_length=48)
    tool = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, editable=False)
    revoked_by = models.ForeignKey(Member, on_delete=models.SET_NULL, null=True, editable=False, related_name="+")

    objects = ExemptionManager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["member", "connector", "tool"],
                condition=models.Q(revoked_at__isnull=True),
                name="exemption_is_live_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.target} for {self.member}"

    @property
    def target(self) -> str:
        return target_of(self.connector, self.tool)
