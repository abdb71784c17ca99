"""Tenant scoping: every record is reached through its organization, in the queryset and not in a view."""

from typing import TYPE_CHECKING, Self
from uuid import UUID

from django.db import models

if TYPE_CHECKING:
    from accesscontrol.models import Organization


class TenantQuerySet[ModelT: models.Model](models.QuerySet[ModelT]):
    """Rows of models whose `tenant_path` (default `organization`) leads to their organization."""

    def of(self, organization: "Organization") -> Self:
        """Only the rows that belong to this organization."""
        path = getattr(self.model, "tenant_path", "organization")
        return self.filter(**{path: organization})

    def with_id(self, given: str) -> Self:
        """The row with the id that somebody wrote; none where it is no id at all."""
        try:
            return self.filter(pk=UUID(given))
        except ValueError:
            return self.none()


class TenantManager[ModelT: models.Model](models.Manager[ModelT]):
    def get_queryset(self) -> TenantQuerySet[ModelT]:
        return TenantQuerySet(self.model, using=self._db)

    def of(self, organization: "Organization") -> TenantQuerySet[ModelT]:
        return self.get_queryset().of(organization)
