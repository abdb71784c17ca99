"""The reach report: who reaches which tool through which connection, as of one version of the organization.

It is a picture and decides nothing. What is the same for many is kept once: members whose policy is the same form a
group, members who reach the same connections form an audience, and the tools of a connector that a policy admits form a
set. So ten thousand members who share a hundred accounts are ten thousand rows and some hundreds, not a million, and a
rule for a role changes only the rows that say which sets the role's groups have. `ReachRow` joins them again.

Groups, audiences and sets are named by a digest of what is in them, which makes writing the report a comparison of two
sets of rows. Nothing refers to a connection by a foreign key: deleting one must not wait for a report being written.
"""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from accesscontrol.models import Member, Organization
from accesscontrol.tenancy import TenantManager


class ReachTools(models.Model):
    """Tools of one connector, by name, that some policy admits."""

    id = models.UUIDField(primary_key=True, editable=False)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+")
    connector = models.CharField(max_length=48)
    tools = ArrayField(models.CharField(max_length=200))

    objects = TenantManager()

    class Meta:
        indexes = [GinIndex(fields=["tools"], name="reach_by_tool")]

    def __str__(self) -> str:
        return f"{len(self.tools)} tools of {self.connector}"


class ReachAllowance(models.Model):
    """A group of members has this set; there is none for a connector where it may use nothing."""

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+")
    group = models.UUIDField()
    tools = models.UUIDField(db_index=True)

    objects = TenantManager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["group", "tools"], name="reach_allowance_is_unique")]

    def __str__(self) -> str:
        return f"{self.group}: {self.tools}"


class ReachMember(models.Model):
    """Which group a member is in. Members who may not use tools at all are in none."""

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+")
    member = models.OneToOneField(Member, on_delete=models.CASCADE, related_name="+")
    group = models.UUIDField(db_index=True)

    objects = TenantManager()

    def __str__(self) -> str:
        return f"{self.member_id}: {self.group}"


class ReachAudience(models.Model):
    """A member belongs to an audience."""

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+")
    member = models.ForeignKey(Member, on_delete=models.CASCADE, related_name="+")
    audience = models.UUIDField()

    objects = TenantManager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["audience", "member"], name="reach_audience_is_unique")]

    def __str__(self) -> str:
        return f"{self.audience}: {self.member_id}"


class ReachConnection(models.Model):
    """A connection, and the audience that reaches it."""

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+")
    connection = models.UUIDField(unique=True)
    connector = models.CharField(max_length=48)
    label = models.CharField(max_length=100)
    owner = models.EmailField()
    audience = models.UUIDField(db_index=True)

    objects = TenantManager()

    class Meta:
        indexes = [models.Index(fields=["organization", "connector"], name="reach_by_connector")]

    def __str__(self) -> str:
        return f"{self.connector}: {self.label}"


class ReachPin(models.Model):
    """An account that pins of a toolbox lead to, for these tools, and the audience whom they lead there."""

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+")
    connection = models.UUIDField()
    connector = models.CharField(max_length=48)
    label = models.CharField(max_length=100)
    owner = models.EmailField()
    toolbox_id = models.UUIDField()
    toolbox = models.CharField(max_length=100)
    tools = models.UUIDField()
    audience = models.UUIDField(db_index=True)

    objects = TenantManager()

    def __str__(self) -> str:
        return f"{self.toolbox}: {self.label}"


class ReachRow(models.Model):
    """One member, one connection, and the tools they reach through it: a view over the tables above.

    Where a toolbox stands, its pins lead there, and its tools run with the arguments that are frozen in them.
    """

    id = models.CharField(primary_key=True, max_length=48)
    organization = models.ForeignKey(Organization, on_delete=models.DO_NOTHING, related_name="+")
    member = models.ForeignKey(Member, on_delete=models.DO_NOTHING, related_name="+")
    connector = models.CharField(max_length=48)
    connection = models.UUIDField()
    label = models.CharField("account", max_length=100)
    owner = models.EmailField("account of")
    toolbox = models.CharField("through the toolbox", max_length=100)
    tools = ArrayField(models.CharField(max_length=200))
    tool_count = models.IntegerField()

    objects = TenantManager()

    class Meta:
        managed = False
        db_table = "search_reachrow"
        verbose_name = "reach"
        verbose_name_plural = "reach report"

    def __str__(self) -> str:
        return f"{self.connector}: {self.label}"
