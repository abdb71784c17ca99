"""A set of permissions; every member has exactly one role."""

from uuid import uuid4

from django.contrib.postgres.fields import ArrayField
from django.db import models

from accesscontrol.models.organization import Organization
from accesscontrol.permissions import Permission
from accesscontrol.tenancy import TenantManager


class Role(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="roles")
    slug = models.SlugField(max_length=48)
    label = models.CharField(max_length=60)
    permissions = ArrayField(
        models.CharField(max_length=40, choices=[(p.value, p.value) for p in Permission]),
        default=list,
        blank=True,
    )
    built_in = models.BooleanField(default=False, editable=False, help_text="Built-in roles cannot be changed.")

    objects = TenantManager()

    class Meta:
        ordering = ["label"]
        constraints = [
            models.UniqueConstraint(fields=["organization", "slug"], name="role_slug_is_unique_in_organization")
        ]

    def __str__(self) -> str:
        return self.label
