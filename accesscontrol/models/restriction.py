"""An allow- or block-list over connectors and tools, for a role or for one member.

It names them by slug and name, not by foreign key: a rule must outlive an import that drops a tool and one that brings
it back.
"""

from collections.abc import Iterable
from uuid import uuid4

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models

from accesscontrol import policy
from accesscontrol.models.member import Member
from accesscontrol.models.organization import Organization
from accesscontrol.models.role import Role
from accesscontrol.tenancy import TenantManager


class Restriction(models.Model):
    class Mode(models.TextChoices):
        ALLOW = policy.Mode.ALLOW.value, "Allow only"
        BLOCK = policy.Mode.BLOCK.value, "Block"

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="restrictions")
    role = models.ForeignKey(Role, on_delete=models.CASCADE, null=True, blank=True, related_name="restrictions")
    member = models.ForeignKey(Member, on_delete=models.CASCADE, null=True, blank=True, related_name="restrictions")
    mode = models.CharField(max_length=8, choices=Mode, default=Mode.BLOCK)
    connectors = ArrayField(
        models.CharField(max_length=48), default=list, blank=True, help_text="Slugs of whole connectors."
    )
    tools = ArrayField(
        models.CharField(max_length=260),
        default=list,
        blank=True,
        help_text="Single tools, each as connector.tool_name.",
    )
    note = models.CharField(max_length=200, blank=True, help_text="Why; never shown to those it restricts.")
    created_by = models.ForeignKey(
        Member,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        verbose_name="written by",
        help_text="Who wrote it as it stands; nobody where it was the command line.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TenantManager()

    class Meta:
        ordering = ["created_at"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(role__isnull=True) ^ models.Q(member__isnull=True),
                name="restriction_is_for_a_role_or_a_member",
            )
        ]

    def __str__(self) -> str:
        return f"{self.get_mode_display()} for {self.role or self.member}"

    def clean(self) -> None:
        super().clean()
        subject = self.role or self.member
        if subject is None or (self.role and self.member):
            raise ValidationError("Choose a role or a member, and not both.")
        if subject.organization_id != self.organization_id:
            raise ValidationError("Choose a role or a member of the restriction's own organization.")
        malformed = [item for item in self.tools if not all(split_tool(item))]
        if malformed:
            raise ValidationError({"tools": f"Write each tool as connector.tool_name; this is not: {malformed[0]}"})

    @property
    def denies_everything(self) -> bool:
        """On its own, that is: further allow rules of the layer unite with it."""
        return self.mode == self.Mode.ALLOW and not self.connectors and not self.tools

    def as_rule(self) -> policy.Rule:
        return rule(self.mode, self.connectors, self.tools)


def rule(mode: str, connectors: Iterable[str], tools: Iterable[str]) -> policy.Rule:
    """A restriction's columns as what the policy is compiled from."""
    names = policy.Names(connectors=frozenset(connectors), tools=frozenset(split_tool(item) for item in tools))
    return policy.Rule(mode=policy.Mode(mode), names=names)


def split_tool(item: str) -> tuple[str, str]:
    """`notion.create_page` as connector and tool; a slug never holds a dot."""
    connector, _, tool = item.partition(".")
    return connector, tool
