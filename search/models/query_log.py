"""What members searched for and what they then called, kept only where their organization says so."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from accesscontrol.models import Member, Organization
from accesscontrol.tenancy import TenantManager

QUERY_LENGTH = 500


class LoggedQuery(models.Model):
    """One search through the endpoint. `chosen` is the tool that was called next, of those the search returned."""

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+", db_index=False)
    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="+", db_index=False)
    at = models.DateTimeField(default=timezone.now, editable=False)
    query = models.CharField(max_length=QUERY_LENGTH, blank=True)
    matched = models.PositiveIntegerField(help_text="How many tools answered it.")
    returned = ArrayField(models.CharField(max_length=60), help_text="The callable ones it was shown, best first.")
    chosen = models.CharField(max_length=60, blank=True)

    objects = TenantManager()

    class Meta:
        verbose_name = "logged query"
        verbose_name_plural = "logged queries"
        ordering = ["-at", "-id"]
        indexes = [
            models.Index(fields=["organization", "-at", "-id"], name="logged_query_by_time"),
            models.Index(fields=["member", "-at", "-id"], name="logged_query_by_member"),
            models.Index(fields=["at"], name="logged_query_by_age"),
        ]

    def __str__(self) -> str:
        return self.query
