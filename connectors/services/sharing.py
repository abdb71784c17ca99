"""Sharing a connection or a toolbox: others run its tools, and the secret of no account is shown to anybody.

A toolbox shared at `use` lets others run its tools, and nothing else: the accounts its tools are pinned to are not
shared with it.
"""

from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from accesscontrol import audit
from accesscontrol.exceptions import Conflict, MemberNotActive
from accesscontrol.models import Member, Organization, Surface, Team
from connectors.models import Connection, Level, Share
from connectors.models.share import Target, target_field
from connectors.services.authority import home_of, label_of, lock_to_edit

type Grantee = Member | Team | Organization


@transaction.atomic
def share(*, target: Target, grantee: Grantee, level: Level, surface: Surface, actor: Member) -> Share:
    """Shares it at this level; shared with the same grantee before, at this level instead of the earlier one.

    The actor is a person, always: no command and no superuser hands out somebody's account or toolbox. Raises NotFound
    and EditRequired (see `lock_to_edit`), MemberNotActive, and Conflict for a grantee who is the owner, or of another
    organization.
    """
    locked = lock_to_edit(target, actor)
    _assert_may_receive(grantee, locked)
    given = Share(
        organization=home_of(locked),
        **{target_field(type(locked)): locked},
        level=level,
        shared_by=actor,
        member=grantee if isinstance(grantee, Member) else None,
        team=grantee if isinstance(grantee, Team) else None,
        whole_organization=isinstance(grantee, Organization),
    )
    given.clean()
    # One statement instead of a look and a write: the constraint holds also for whoever forgot the organization's lock.
    Share.objects.bulk_create(
        [given],
        update_conflicts=True,
        unique_fields=["connection", "toolbox", "member", "team"],
        update_fields=["level", "shared_by"],
    )
    _record("share", locked, grantee, surface, actor, level=level.name.lower())
    return _of(locked, grantee).get()


@transaction.atomic
def unshare(*, target: Target, grantee: Grantee, surface: Surface, actor: Member) -> None:
    """Takes back what this grantee was given; the next call obeys.

    Whom another share reaches still has that one. Raises NotFound, EditRequired, MemberNotActive, and Conflict where it
    is not shared with this grantee.
    """
    locked = lock_to_edit(target, actor)
    gone, _ = _of(locked, grantee).delete()
    if not gone:
        raise Conflict(f"{label_of(locked)} is not shared with {_name(grantee)}, so there is nothing to take back.")
    _record("unshare", locked, grantee, surface, actor)


def _assert_may_receive(grantee: Grantee, target: Target) -> None:
    if _home(grantee) != home_of(target).pk:
        raise Conflict(f"A {target_field(type(target))} is shared within its own organization.")
    if not isinstance(grantee, Member):
        return
    if grantee.pk == target.owner_id:
        kind = "account" if isinstance(target, Connection) else "toolbox"
        raise Conflict(f"{label_of(target)} is the {kind} of {grantee.user.email}, who needs no share of it.")
    # Under the organization's lock, after which a suspension would have to come.
    if not Member.objects.filter(pk=grantee.pk, status=Member.Status.ACTIVE).exists():
        raise MemberNotActive(grantee.user.email)


def _home(grantee: Grantee) -> UUID:
    return grantee.pk if isinstance(grantee, Organization) else grantee.organization_id


def _of(target: Target, grantee: Grantee) -> QuerySet[Share]:
    rows = Share.objects.filter(**{target_field(type(target)): target})
    if isinstance(grantee, Organization):
        return rows.filter(whole_organization=True)
    return rows.filter(member=grantee) if isinstance(grantee, Member) else rows.filter(team=grantee)


def _name(grantee: Grantee) -> str:
    return grantee.user.email if isinstance(grantee, Member) else grantee.name


def _record(verb: str, target: Target, grantee: Grantee, surface: Surface, actor: Member, **detail: str) -> None:
    kind = target_field(type(target))
    audit.record(
        organization=home_of(target),
        action=f"{kind}.{verb}",
        surface=surface,
        outcome="ok",
        actor=actor,
        target=f"{kind}:{target.pk}",
        connection=str(target) if isinstance(target, Connection) else "",
        detail={type(grantee).__name__.lower(): _name(grantee), **detail}
        | ({} if isinstance(target, Connection) else {"toolbox": target.name}),
    )
