"""What happened, who did it and how it ended. Rows are only ever added, and each organization's rows form a chain.

The database itself refuses to change or remove them and makes the chain, whoever adds a row and by whatever statement:
see the migration `audit_chain`. `docs/audit.md` says what the chain proves and what it cannot.
"""

from uuid import uuid4

from django.db import models

from accesscontrol.models.member import Member
from accesscontrol.models.organization import Organization
from accesscontrol.models.user import User
from accesscontrol.tenancy import TenantManager


class Surface(models.TextChoices):
    MCP = "mcp", "MCP"
    ADMIN = "admin", "Admin"
    API = "api", "API"
    SYSTEM = "system", "System"


class ActorKind(models.TextChoices):
    MEMBER = "member", "Member"
    OPERATOR = "operator", "Operator of the server"
    SYSTEM = "system", "System"


class AuditEvent(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    organization = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="audit_events")
    at = models.DateTimeField(auto_now_add=True)
    actor_kind = models.CharField(max_length=8, choices=ActorKind)
    actor = models.ForeignKey(Member, on_delete=models.PROTECT, null=True, related_name="audit_events")
    operator = models.ForeignKey(
        User,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        help_text="The superuser who acted from outside the organization.",
    )
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
        ordering = ["-at", "-id"]
        indexes = [
            models.Index(fields=["organization", "-at", "-id"], name="audit_by_time"),
            models.Index(fields=["organization", "actor", "-at", "-id"], name="audit_by_actor"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(actor_kind=ActorKind.MEMBER, actor__isnull=False, operator__isnull=True)
                | models.Q(actor_kind=ActorKind.OPERATOR, actor__isnull=True)
                | models.Q(actor_kind=ActorKind.SYSTEM, actor__isnull=True, operator__isnull=True),
                name="audit_actor_is_of_its_kind",
            )
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.target}: {self.outcome}"


class AuditLink(models.Model):
    """An event's place in the chain of its organization, given by the database when the event's transaction commits.

    It stands apart from the event so that neither is ever updated. Its reference to the event is none that the
    database enforces: the link of an event that was removed stays, and tells.
    """

    event = models.OneToOneField(
        AuditEvent, on_delete=models.DO_NOTHING, primary_key=True, related_name="link", db_constraint=False
    )
    organization = models.ForeignKey(
        Organization, on_delete=models.PROTECT, related_name="+", db_constraint=False, db_index=False
    )
    sequence = models.PositiveBigIntegerField()
    previous_hash = models.BinaryField()
    hash = models.BinaryField()

    objects = TenantManager()

    class Meta:
        ordering = ["sequence"]
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "sequence"], name="audit_sequence_is_unique_in_organization"
            )
        ]

    def __str__(self) -> str:
        return str(self.sequence)


class AuditHead(models.Model):
    """Where an organization's chain ends: without it nobody could tell that the newest rows were cut off."""

    organization = models.OneToOneField(Organization, on_delete=models.PROTECT, primary_key=True, related_name="+")
    sequence = models.PositiveBigIntegerField()
    hash = models.BinaryField()

    objects = TenantManager()

    def __str__(self) -> str:
        return str(self.sequence)
