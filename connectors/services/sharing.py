"""Sharing a connection: others run its tools through the owner's account, and its secret is shown to nobody."""

from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from accesscontrol import audit
from accesscontrol.exceptions import Conflict, MemberNotActive
from accesscontrol.models import Member, Organization, Surface, Team
from connectors.models import Connection, Level, Share
from connectors.services.authority import lock_to_edit

type Grantee = Member | Team | Organization


@transaction.atomic
def share(*, connection: Connection, grantee: Grantee, level: Level, surface: Surface, actor: Member) -> Share:
    """Shares it at this level; shared with the same grantee before, at this level instead of the earlier one.

    The actor is a person, always: no command and no superuser hands out somebody's account. Raises NotFound and
    EditRequired (see `lock_to_edit`), MemberNotActive, and Conflict for a grantee who is the owner, or of another
    organization.
    """
    locked = lock_to_edit(connection, actor)
    _assert_may_receive(grantee, locked)
    given = Share(
        organization=locked.connector.organization,
        connection=locked,
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
    _record("connection.share", locked, grantee, surface, actor, level=level.name.lower())
    return _of(locked, grantee).get()


@transaction.atomic
def unshare(*, connection: Connection, grantee: Grantee, surface: Surface, actor: Member) -> None:
    """Takes back what this grantee was given; the next call obeys.

    Whom another share reaches still has that one. Raises NotFound, EditRequired, MemberNotActive, and Conflict where it
    is not shared with this grantee.
    """
    locked = lock_to_edit(connection, actor)
    gone, _ = _of(locked, grantee).delete()
    if not gone:
        raise Conflict(f"{locked.label} is not shared with {_name(grantee)}.")
    _record("connection.unshare", locked, grantee, surface, actor)


def _assert_may_receive(grantee: Grantee, connection: Connection) -> None:
    if _home(grantee) != connection.connector.organization_id:
        raise Conflict("A connection is shared within its own organization.")
    if not isinstance(grantee, Member):
        return
    if grantee.pk == connection.owner_id:
        raise Conflict(f"{connection.label} is the account of {grantee.user.email}, who needs no share of it.")
    # Under the organization's lock, after which a suspension would have to come.
    if not Member.objects.filter(pk=grantee.pk, status=Member.Status.ACTIVE).exists():
        raise MemberNotActive(grantee.user.email)


def _home(grantee: Grantee) -> UUID:
    return grantee.pk if isinstance(grantee, Organization) else grantee.organization_id


def _of(connection: Connection, grantee: Grantee) -> QuerySet[Share]:
    rows = Share.objects.filter(connection=connection)
    if isinstance(grantee, Organization):
        return rows.filter(whole_organization=True)
    return rows.filter(member=grantee) if isinstance(grantee, Member) else rows.filter(team=grantee)


def _name(grantee: Grantee) -> str:
    return grantee.user.email if isinstance(grantee, Member) else grantee.name


def _record(
    action: str, connection: Connection, grantee: Grantee, surface: Surface, actor: Member, **detail: str
) -> None:
    audit.record(
        organization=connection.connector.organization,
        action=action,
        surface=surface,
        outcome="ok",
        actor=actor,
        target=f"connection:{connection.pk}",
        connection=str(connection),
        detail={type(grantee).__name__.lower(): _name(grantee), **detail},
    )
