"""Whether the reach report has caught up: rules hold from their commit on, what is reported of them follows."""

from typing import Any

from django.utils import timezone
from unfold.decorators import display

from accesscontrol.admin.tenant import organization_of
from accesscontrol.models import Organization

BEING_APPLIED = "being applied"


def applied(organization: Organization) -> str:
    """`applied 14:03:22`, with the date where it was not today, or `being applied`."""
    at = organization.applied_at
    if at is None or organization.applied_version < organization.version:
        return BEING_APPLIED
    local = timezone.localtime(at)
    form = "%H:%M:%S" if local.date() == timezone.localdate() else "%Y-%m-%d %H:%M:%S"
    return f"applied {local:{form}}"


class AppliedColumn:
    """A column for lists of what the report follows; their rows come with their organization."""

    @display(description="Reach report")
    def applied(self, obj: Any) -> str:
        return applied(organization_of(obj))
