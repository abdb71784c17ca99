"""A user in an organization."""

from uuid import uuid4

from django.core.exceptions import ValidationError
from django.db import models

from accesscontrol.models.organization import Organization
from accesscontrol.models.role import Role
from accesscontrol.models.user import User
from accesscontrol.permissions import Permission
from accesscontrol.tenancy import TenantManager


class Member(models.Model):
    class Status(models.TextChoices):
        ACTIVE = "active", "Active"
        SUSPENDED = "suspended", "Suspended"
        REMOVED = "removed", "Removed"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="memberships")
    role = models.ForeignKey(Role, on_delete=models.PROTECT, related_name="members")
    status = models.CharField(max_length=12, choices=Status, default=Status.ACTIVE)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TenantManager()

    class Meta:
        ordering = ["user__email"]
        constraints = [
            models.UniqueConstraint(fields=["organization", "user"], name="member_is_unique_in_organization")
        ]

    def __str__(self) -> str:
        return self.user.email

    def clean(self) -> None:
        super().clean()
        if self.role.organization_id != self.organization_id:
            raise ValidationError({"role": "Choose a role of the member's own organization."})

    def may(self, permission: Permission) -> bool:
        return self.status == self.Status.ACTIVE and permission in self.role.permissions
