"""Writing and lifting the rules that restrict a role or a member, with the actor's authority checked.

Writing needs `restriction:manage`. A rule is the actor's to lift if they wrote it as it stands; one that others or the
command line wrote takes `restriction:override`. Changing a rule lifts the old one and writes the new one, and needs
what both need.

Nobody deals with themselves:

1. No rule may be written for a role whose permissions equal those of the actor's own role, which is that role itself
   and every copy of it. A rule there binds or frees the actor and their equals, so somebody with another role writes
   it. One that is there is lifted with `restriction:override` alone, whoever wrote it.
2. No rule about the actor themself may be written or lifted while one restricts them, through their role or in person,
   that is not theirs to lift. Allow rules unite, so a further one would free them as lifting does.

Without an actor it is the command line or a superuser of the server, and nothing of this is asked. All else is asked
under the organization's lock, of the actor and the rules as the database has them then.
"""

from collections.abc import Collection

from django.db import transaction
from django.db.models import Q

from accesscontrol import audit, catalog_names, versions
from accesscontrol.exceptions import Conflict, PermissionRequired
from accesscontrol.models import Member, Restriction, Role, Surface
from accesscontrol.permissions import Permission
from accesscontrol.services import authority
from accesscontrol.signals import restrictions_changed


class SelfDealing(Conflict):
    """The rule is about the actor or their equals."""


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
    """A new rule for a role or a member; `tools` are `connector.tool_name`. See `store` for what it raises."""
    return store(
        restriction=Restriction(
            organization=subject.organization,
            role=subject if isinstance(subject, Role) else None,
            member=subject if isinstance(subject, Member) else None,
            mode=mode,
            connectors=list(connectors),
            tools=list(tools),
            note=note,
        ),
        surface=surface,
        actor=actor,
    )


@transaction.atomic
def store(*, restriction: Restriction, surface: Surface, actor: Member | None = None) -> Restriction:
    """Keeps a new or changed rule; requests that begin after the commit obey it.

    Raises PermissionRequired, SelfDealing, ValidationError, and Conflict where it was lifted meanwhile or would move to
    another organization.
    """
    adding = restriction._state.adding
    versions.bump(restriction.organization, signal=restrictions_changed)
    if not adding:
        _assert_may_lift(actor, _stored(restriction))
    restriction.created_by = actor
    restriction.full_clean()
    _assert_may_write(actor, restriction)
    restriction.save()
    _record("restriction.create" if adding else "restriction.change", restriction, surface, actor)
    return restriction


@transaction.atomic
def delete(*, restriction: Restriction, surface: Surface, actor: Member | None = None) -> None:
    """Lifts a rule. Raises PermissionRequired, SelfDealing, and Conflict where it was lifted already."""
    versions.bump(restriction.organization, signal=restrictions_changed)
    stored = _stored(restriction)
    _assert_may_lift(actor, stored)
    _record("restriction.delete", stored, surface, actor)
    stored.delete()


def warnings(restriction: Restriction) -> list[str]:
    """What an administrator should know of a rule that was kept: names that nothing has, and that it denies all."""
    said = catalog_names.warnings(restriction.organization, restriction.connectors, restriction.tools)
    if restriction.denies_everything:
        said.append(f"An allow rule that names nothing denies {restriction.role or restriction.member} everything.")
    return said


def _stored(restriction: Restriction) -> Restriction:
    """As the database has it, which the organization's lock keeps it at."""
    found = (
        Restriction.objects.of(restriction.organization)
        .select_related("role", "member", "organization")
        .filter(pk=restriction.pk)
        .first()
    )
    if found is None:
        raise Conflict("This rule was lifted meanwhile, or belongs elsewhere.")
    return found


def _assert_may_write(actor: Member | None, restriction: Restriction) -> None:
    acting = authority.require(actor, Permission.RESTRICTION_MANAGE, restriction.organization)
    if acting is None:
        return
    if _is_for_an_equal_role(acting, restriction):
        raise SelfDealing(
            f"The role {restriction.role} has the same permissions as your own, so the rule would be about yourself. "
            "Somebody with another role has to write it."
        )
    _assert_not_bound(acting, restriction)


def _assert_may_lift(actor: Member | None, restriction: Restriction) -> None:
    acting = authority.require(actor, Permission.RESTRICTION_MANAGE, restriction.organization)
    if acting is None:
        return
    if not _is_ours_to_lift(acting, restriction):
        raise PermissionRequired(Permission.RESTRICTION_OVERRIDE)
    _assert_not_bound(acting, restriction)


def _is_ours_to_lift(acting: Member, restriction: Restriction) -> bool:
    if Permission.RESTRICTION_OVERRIDE in acting.role.permissions:
        return True
    return restriction.created_by_id == acting.pk and not _is_for_an_equal_role(acting, restriction)


def _is_for_an_equal_role(acting: Member, restriction: Restriction) -> bool:
    if restriction.role_id is None:
        return False
    # Read anew: the role that came with the rule may be older than the lock.
    return set(Role.objects.get(pk=restriction.role_id).permissions) == set(acting.role.permissions)


def _assert_not_bound(acting: Member, restriction: Restriction) -> None:
    if restriction.member_id != acting.pk:
        return
    on_them = Restriction.objects.filter(Q(role_id=acting.role_id) | Q(member_id=acting.pk))
    if not all(_is_ours_to_lift(acting, rule) for rule in on_them):
        raise SelfDealing(
            "You are restricted by a rule that is not yours to lift, so rules about yourself are not yours to write or "
            "lift either. Ask another administrator."
        )


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
