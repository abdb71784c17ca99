"""Custom roles, and the rule that nobody gives what they do not hold."""

from collections.abc import Collection, Iterable

from django.db import models, transaction

from accesscontrol import audit, versions
from accesscontrol.exceptions import Conflict, NotFound, PermissionRequired, Refusal
from accesscontrol.models import Member, Organization, Role, Surface
from accesscontrol.permissions import Permission
from accesscontrol.services import authority

_FOR_THE_REMOVED = "guest"


class PermissionsNotHeld(PermissionRequired):
    """`permissions` holds those that the actor would give and does not hold."""

    def __init__(self, missing: Iterable[str]) -> None:
        named = sorted(missing)
        Refusal.__init__(
            self,
            f"Nobody gives what they do not hold, and your role does not have: {', '.join(named)}. "
            "Ask someone who has them.",
            permission=named[0],
            permissions=named,
        )


def assert_may_give(actor: Member | None, role: Role) -> None:
    """Raises PermissionsNotHeld where the role permits what the actor's own does not, MemberNotActive.

    Ask it inside the transaction, after the version was bumped: a role that grew a moment ago counts as it is now.
    """
    if actor is not None:
        _assert_held(actor, Role.objects.get(pk=role.pk).permissions)


@transaction.atomic
def create(
    *,
    organization: Organization,
    slug: str,
    label: str,
    permissions: Collection[str],
    surface: Surface,
    actor: Member | None = None,
) -> Role:
    """A new role. Raises PermissionRequired, PermissionsNotHeld, ValidationError."""
    versions.bump(organization)
    _assert_held(authority.require(actor, Permission.ROLE_MANAGE, organization), permissions)
    role = Role(organization=organization, slug=slug, label=label, permissions=sorted(set(permissions)))
    role.full_clean()
    role.save()
    _record("role.create", role, surface, actor)
    return role


@transaction.atomic
def change(
    *, role: Role, label: str, permissions: Collection[str], surface: Surface, actor: Member | None = None
) -> Role:
    """Gives a custom role another label and other permissions; its members have them from the commit on.

    The actor must hold what it permitted before, too: who holds less does not take it from others. Raises Conflict for
    a built-in role, PermissionRequired, PermissionsNotHeld, ValidationError.
    """
    locked = _locked(role, actor)
    _assert_held(actor, {*locked.permissions, *permissions})
    locked.label = label
    locked.permissions = sorted(set(permissions))
    locked.full_clean()
    locked.save(update_fields=["label", "permissions"])
    _record("role.change", locked, surface, actor)
    return locked


@transaction.atomic
def delete(*, role: Role, surface: Surface, actor: Member | None = None) -> None:
    """Raises Conflict for a built-in role and for one in use, PermissionRequired."""
    locked = _locked(role, actor)
    in_use = Member.objects.of(locked.organization).filter(role=locked).exclude(status=Member.Status.REMOVED).count()
    if in_use:
        raise Conflict(f"{locked.label} is the role of {_members(in_use)}. Give them another role first.")
    _record("role.delete", locked, surface, actor)
    _part_from_removed_members(locked)
    try:
        locked.delete()
    except models.ProtectedError as error:
        raise Conflict(f"{role.label} is in use by {len(error.protected_objects)} records that need a role.") from None


def _locked(role: Role, actor: Member | None) -> Role:
    # The version first: giving somebody a role bumps it too, so nobody is given this one while it changes or goes.
    versions.bump(role.organization)
    authority.require(actor, Permission.ROLE_MANAGE, role.organization)
    locked = Role.objects.select_related("organization").filter(pk=role.pk).first()
    if locked is None:
        raise NotFound("role")
    if locked.built_in:
        raise Conflict(f"{locked.label} is a built-in role and cannot be changed. Create a role of your own instead.")
    return locked


def _assert_held(actor: Member | None, permissions: Collection[str]) -> None:
    missing = set(permissions) - set(authority.current(actor).role.permissions) if actor else set()
    if missing:
        raise PermissionsNotHeld(missing)


def _part_from_removed_members(role: Role) -> None:
    """A removed member keeps no access, and their row no role that nobody else has any more."""
    guest = Role.objects.get(organization_id=role.organization_id, slug=_FOR_THE_REMOVED)
    Member.objects.filter(role=role, status=Member.Status.REMOVED).update(role=guest)


def _members(count: int) -> str:
    return "1 member" if count == 1 else f"{count} members"


def _record(action: str, role: Role, surface: Surface, actor: Member | None) -> None:
    audit.record(
        organization=role.organization,
        action=action,
        surface=surface,
        outcome="ok",
        actor=actor,
        target=f"role:{role.pk}",
        detail={"role": role.slug, "permissions": list(role.permissions)},
    )
