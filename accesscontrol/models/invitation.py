"""An invitation into an organization: whoever holds its address and the e-mail address it names may join."""

from uuid import uuid4

from django.db import models

from accesscontrol.models.member import Member
from accesscontrol.models.organization import Organization
from accesscontrol.models.role import Role
from accesscontrol.tenancy import TenantManager


class Invitation(models.Model):
    """Open until it is accepted, withdrawn or expired."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField()
    role = models.ForeignKey(Role, on_delete=models.CASCADE, related_name="invitations")
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    invited_by = models.ForeignKey(Member, on_delete=models.SET_NULL, null=True, editable=False, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(editable=False)
    ended_at = models.DateTimeField(null=True, editable=False)
    outcome = models.CharField(max_length=12, blank=True, editable=False, help_text="accepted or withdrawn")

    objects = TenantManager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "email"],
                condition=models.Q(ended_at__isnull=True),
                name="invitation_is_open_once_for_an_address",
            )
        ]

    def __str__(self) -> str:
        return f"{self.email} as {self.role}"
