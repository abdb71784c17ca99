"""Writing the rules that restrict a role or a member."""

from collections.abc import Collection

from django.db import transaction

from accesscontrol import audit, versions
from accesscontrol.models import Member, Restriction, Role, Surface


@transaction.atomic
def create(
    *,
    subject: Role | Member,
    mode: Restriction.Mode,
    connectors: Collection[str] = (),
    tools: Collection[str] = (),
    note: str = "",
    surface: Surface,
    actor: Member | None = None,
) -> Restriction:
    """A new rule for a role or a member; `tools` are `connector.tool_name`. Raises ValidationError."""
    return save(
        restriction=Restriction(
            organization=subject.organization,
            role=subject if isinstance(subject, Role) else None,
            member=subject if isinstance(subject, Member) else None,
            mode=mode,
            connectors=list(connectors),
            tools=list(tools),
            note=note,
            created_by=actor,
        ),
        surface=surface,
        actor=actor,
    )


@transaction.atomic
def save(*, restriction: Restriction, surface: Surface, actor: Member | None = None) -> Restriction:
    """Stores a new or changed rule; requests that begin after the commit obey it. Raises ValidationError."""
    action = "restriction.create" if restriction._state.adding else "restriction.change"
    versions.bump(restriction.organization)
    restriction.full_clean()
    restriction.save()
    _record(action, restriction, surface, actor)
    return restriction


@transaction.atomic
def delete(*, restriction: Restriction, surface: Surface, actor: Member | None = None) -> None:
    """Lifts a rule."""
    versions.bump(restriction.organization)
    _record("restriction.delete", restriction, surface, actor)
    restriction.delete()


def _record(action: str, restriction: Restriction, surface: Surface, actor: Member | None) -> None:
    audit.record(
        organization=restriction.organization,
        action=action,
        surface=surface,
        outcome="ok",
        actor=actor,
        target=f"restriction:{restriction.pk}",
        detail={
            "mode": restriction.mode,
            "connectors": list(restriction.connectors),
            "tools": list(restriction.tools),
        },
    )
