"""Tenant scoping: every record is reached through its organization, in the queryset and not in a view."""

from typing import TYPE_CHECKING, Self
from uuid import UUID

from django.db import models

if TYPE_CHECKING:
    from accesscontrol.models import Organization


def parse_id(given: str) -> UUID | None:
    """None for what is no id at all."""
    try:
        return UUID(given)
    except ValueError:
        return None


def with_id[ModelT: models.Model](rows: models.QuerySet[ModelT], given: str) -> models.QuerySet[ModelT]:
    """The row with the id that somebody wrote; none where it is no id at all."""
    pk = parse_id(given)
    return rows.none() if pk is None else rows.filter(pk=pk)


class TenantQuerySet[ModelT: models.Model](models.QuerySet[ModelT]):
    """Rows of models whose `tenant_path` (default `organization`) leads to their organization."""

    def of(self, organization: "Organization") -> Self:
        """Only the rows that belong to this organization."""
        path = getattr(self.model, "tenant_path", "organization")
        return self.filter(**{path: organization})


class TenantManager[ModelT: models.Model](models.Manager[ModelT]):
    def get_queryset(self) -> TenantQuerySet[ModelT]:
        return TenantQuerySet(self.model, using=self._db)

    def of(self, organization: "Organization") -> TenantQuerySet[ModelT]:
        return self.get_queryset().of(organization)
