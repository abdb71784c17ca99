"""People that things are shared with under one name."""

from uuid import uuid4

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.functions import Lower

from accesscontrol.models.member import Member
from accesscontrol.models.organization import Organization
from accesscontrol.tenancy import TenantManager


class Team(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="teams")
    name = models.CharField(max_length=80)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TenantManager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                "organization",
                Lower("name"),
                name="team_name_is_unique_in_organization",
                violation_error_message="There is a team of this name already.",
            )
        ]

    def __str__(self) -> str:
        return self.name


class TeamMembership(models.Model):
    tenant_path = "team__organization"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    # Its own index would repeat the unique constraint's.
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships", db_index=False)
    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="team_memberships")
    is_admin = models.BooleanField(
        default=False, help_text="May manage this team, where the member's role has team:manage."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TenantManager()

    class Meta:
        ordering = ["member__user__email"]
        constraints = [
            models.UniqueConstraint(
                fields=["team", "member"],
                name="team_membership_is_unique",
                violation_error_message="This member is in the team already.",
            )
        ]

    def __str__(self) -> str:
        return f"{self.member} in {self.team}"

    def clean(self) -> None:
        super().clean()
        member = getattr(self, "member", None)  # a form may have refused what was given
        if member is not None and member.organization_id != self.team.organization_id:
            raise ValidationError({"member": "Choose a member of the team's own organization."})
