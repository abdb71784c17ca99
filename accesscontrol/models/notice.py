"""What a member is to be told by mail: written in the transaction of the change, sent after it."""

from datetime import datetime
from uuid import uuid4

from django.db import models
from django.utils import timezone

from accesscontrol.models.member import Member
from accesscontrol.models.organization import Organization
from accesscontrol.tenancy import TenantManager, TenantQuerySet

MAX_ATTEMPTS = 5
MAX_SUBJECT = 200


class NoticeQuerySet(TenantQuerySet["Notice"]):
    def due(self, now: datetime) -> "NoticeQuerySet":
        """What is to be sent now, the longest due first. Whoever is not active is told of that alone."""
        waiting = self.filter(sent_at__isnull=True, attempts__lt=MAX_ATTEMPTS, due_at__lte=now)
        is_reader = models.Q(member__status=Member.Status.ACTIVE, member__user__is_active=True)
        return waiting.filter(is_reader | models.Q(kind=Notice.Kind.ACCESS_ENDED)).order_by("due_at")


class NoticeManager(TenantManager["Notice"]):
    def get_queryset(self) -> NoticeQuerySet:
        return NoticeQuerySet(self.model, using=self._db)

    def due(self, now: datetime) -> NoticeQuerySet:
        return self.get_queryset().due(now)


class Notice(models.Model):
    class Kind(models.TextChoices):
        ACCESS_REQUESTED = "access_requested", "Access requested"
        ACCESS_ANSWERED = "access_answered", "Access request answered"
        ACCESS_ENDED = "access_ended", "Access ended"
        ROLE_CHANGED = "role_changed", "Role changed"
        NEEDS_REAUTH = "needs_reauth", "Account to connect again"
        ACCOUNT_RECEIVED = "account_received", "Account received"
        ACCOUNT_ENDED = "account_ended", "Account ended"
        TOOLS_STOPPED = "tools_stopped", "Tools that lost an account"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="notices")
    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=20, choices=Kind)
    subject = models.CharField(max_length=MAX_SUBJECT)
    body = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)
    due_at = models.DateTimeField(default=timezone.now, help_text="Not sent before; a failed attempt moves it.")
    sent_at = models.DateTimeField(null=True, help_text="When the mail server took it.")
    attempts = models.PositiveSmallIntegerField(default=0, help_text="Failed ones.")
    last_error_class = models.CharField(max_length=100, blank=True)

    objects = NoticeManager()

    class Meta:
        ordering = ["-created_at"]
        indexes = [
            models.Index(
                fields=["due_at"],
                condition=models.Q(sent_at__isnull=True, attempts__lt=MAX_ATTEMPTS),
                name="notice_is_waiting",
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}, to {self.member}"
