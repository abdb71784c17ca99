"""Founding and changing an organization, and bringing people into it."""

from collections.abc import Collection

from django.db import transaction

from accesscontrol import audit, versions
from accesscontrol.models import Member, Organization, Role, Surface, User
from accesscontrol.permissions import BUILT_IN_ROLES
from accesscontrol.signals import membership_changed


@transaction.atomic
def found(*, slug: str, name: str, surface: Surface) -> Organization:
    """A new organization with the built-in roles. Raises ValidationError."""
    organization = Organization(slug=slug, name=name)
    organization.full_clean()
    organization.save()
    Role.objects.bulk_create(
        Role(
            organization=organization,
            slug=role.slug,
            label=role.label,
            permissions=sorted(role.permissions),
            built_in=True,
        )
        for role in BUILT_IN_ROLES
    )
    audit.record(organization=organization, action="organization.found", surface=surface, outcome="ok", target=slug)
    return organization


@transaction.atomic
def change(
    *, organization: Organization, fields: Collection[str], surface: Surface, actor: Member | None = None
) -> None:
    """Saves these fields, as set on the organization, and no others: its version may have grown meanwhile.

    Raises ValidationError.
    """
    if not fields:
        return
    organization.full_clean()
    organization.save(update_fields=fields)
    detail: dict[str, str | list[str]] = {"changed": sorted(fields)}
    if "logs_queries" in fields:
        detail["logs_queries"] = "on" if organization.logs_queries else "off"
    audit.record(
        organization=organization,
        action="organization.change",
        surface=surface,
        outcome="ok",
        actor=actor,
        target=organization.slug,
        detail=detail,
    )


@transaction.atomic
def join(
    *, organization: Organization, user: User, role: Role, surface: Surface, actor: Member | None = None
) -> Member:
    """Makes the user a member. Raises ValidationError where they are one, or the role is another organization's."""
    versions.bump(organization, signal=membership_changed)
    member = Member(organization=organization, user=user, role=role)
    member.full_clean()
    member.save()
    audit.record(
        organization=organization,
        action="member.join",
        surface=surface,
        outcome="ok",
        actor=actor,
        target=f"member:{member.pk}",
        detail={"member": user.email, "role": role.slug},
    )
    return member
