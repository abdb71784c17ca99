"""The tenant."""

from uuid import uuid4

from django.db import models


class Organization(models.Model):
    tenant_path = "pk"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    slug = models.SlugField(unique=True, max_length=48)
    name = models.CharField(max_length=100)
    version = models.PositiveBigIntegerField(
        default=1,
        editable=False,
        help_text="Grows with every change to what members can reach; caches are keyed by it.",
    )
    applied_version = models.PositiveBigIntegerField(
        default=0, editable=False, help_text="The version that the reach report shows."
    )
    applied_at = models.DateTimeField(null=True, editable=False)
    logs_queries = models.BooleanField(
        "log search queries",
        default=False,
        help_text=(
            "Keeps what members search for, with who and when, which tools they were shown and which they then called, "
            "to measure how well search finds your tools. Each search is kept for 90 days, also when this is turned "
            "off; those who may see the audit trail can read it."
        ),
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
