"""What is shared with whom, and how far.

A share has one target (a connection or a toolbox) and one grantee: a member, a team, or the whole organization. Who is
reached by several shares of one target has the highest of their levels.
"""

from typing import Self
from uuid import UUID, uuid4

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q

from accesscontrol.models import Member, Organization, Team, TeamMembership
from accesscontrol.tenancy import TenantManager, TenantQuerySet
from connectors.models.connection import Connection
from connectors.models.toolbox import Toolbox

type Target = Connection | Toolbox
"""What can be shared."""


def target_field(model: type[models.Model]) -> str:
    """The field of a share that a target of this kind stands in; people call such a thing by the same word."""
    return model.__name__.lower()


def tenant_path(model: type[models.Model]) -> str:
    """From a target of this kind to its organization."""
    return str(getattr(model, "tenant_path", "organization"))


class Level(models.IntegerChoices):
    """Each includes the ones before it; stored as numbers, so that the database can take the highest.

    `view` shows the target in lists. `use` contributes its tools. `edit` renames, shares and disconnects it.
    """

    VIEW = 1, "View"
    USE = 2, "Use"
    EDIT = 3, "Edit"


LEVELS = {level.name.lower(): level for level in Level}
"""As they are written outside the database: `view`, `use`, `edit`."""


class ShareQuerySet(TenantQuerySet["Share"]):
    def with_member(self, member: Member) -> Self:
        """Those that reach this member: directly, through a team, or as one of the organization."""
        teams = TeamMembership.objects.filter(member=member).values("team")
        return self.filter(
            Q(member=member) | Q(team__in=teams) | Q(whole_organization=True), organization_id=member.organization_id
        )


class ShareManager(TenantManager["Share"]):
    def get_queryset(self) -> ShareQuerySet:
        return ShareQuerySet(self.model, using=self._db)

    def with_member(self, member: Member) -> ShareQuerySet:
        return self.get_queryset().with_member(member)


class Share(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="shares")
    # Its own index would repeat the unique constraint's.
    connection = models.ForeignKey(
        Connection, on_delete=models.CASCADE, null=True, blank=True, related_name="shares", db_index=False
    )
    toolbox = models.ForeignKey(Toolbox, on_delete=models.CASCADE, null=True, blank=True, related_name="shares")
    member = models.ForeignKey(Member, on_delete=models.CASCADE, null=True, blank=True, related_name="shares")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, null=True, blank=True, related_name="shares")
    # Written out, so that a forgotten grantee is an error and not a share with everybody.
    whole_organization = models.BooleanField(default=False)
    level = models.PositiveSmallIntegerField(choices=Level, default=Level.USE)
    shared_by = models.ForeignKey(Member, on_delete=models.SET_NULL, null=True, editable=False, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ShareManager()

    class Meta:
        ordering = ["created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(connection__isnull=False, toolbox__isnull=True)
                | Q(connection__isnull=True, toolbox__isnull=False),
                name="share_has_exactly_one_target",
            ),
            models.CheckConstraint(
                condition=Q(member__isnull=False, team__isnull=True, whole_organization=False)
                | Q(member__isnull=True, team__isnull=False, whole_organization=False)
                | Q(member__isnull=True, team__isnull=True, whole_organization=True),
                name="share_has_exactly_one_grantee",
                violation_error_message="Choose exactly one: a member, a team, or the whole organization.",
            ),
            models.UniqueConstraint(
                fields=["connection", "toolbox", "member", "team"],
                nulls_distinct=False,
                name="share_is_unique_for_its_grantee",
            ),
            models.CheckConstraint(condition=Q(level__in=list(Level)), name="share_level_is_known"),
        ]
        indexes = [
            models.Index(
                fields=["organization"], condition=Q(whole_organization=True), name="share_with_the_organization"
            )
        ]

    def __str__(self) -> str:
        return f"{self.grantee_label}: {self.get_level_display()}"

    @property
    def _home_of_target(self) -> UUID:
        if self.toolbox is not None:
            return self.toolbox.organization_id
        assert self.connection is not None
        return self.connection.connector.organization_id

    @property
    def grantee_label(self) -> str:
        """Whom it is shared with, as people read it."""
        return str(self.member or self.team or "Everyone in the organization")

    def clean(self) -> None:
        super().clean()
        homes = {self.organization_id, self._home_of_target}
        homes |= {grantee.organization_id for grantee in (self.member, self.team) if grantee}
        if len(homes) != 1:
            raise ValidationError("A thing is shared within its own organization.")
