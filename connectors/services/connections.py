"""Changing an account: its label, and its end.

Disconnected, it can be connected again. Deleted, it is gone for everybody, with its secret, its shares, its pins and
its open connect pages; that is for its owner alone, and for whoever has `connection:manage`, which gives no reach.
Files that came through it stay with whoever has them until their time is over, and can't be opened any more.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accesscontrol import audit, versions
from accesscontrol.exceptions import Conflict
from accesscontrol.models import Member, Surface
from accesscontrol.permissions import Permission
from accesscontrol.services import authority, notices
from connectors.credentials.oauth.revoking import revoke_on_commit
from connectors.models import Connection, Level, StoredFile
from connectors.reach import works
from connectors.services.authority import lock, lock_as_owner, lock_to_edit
from connectors.services.transfers import Stopping, live_pins_of, losing


@dataclass(frozen=True, kw_only=True)
class Deletion:
    """What would break.

    `shared_with` says who is reached by which share, `other_accounts` which accounts of the product the owner has left
    to choose among, and `tools` how many tools run through this one.
    """

    shared_with: tuple[str, ...]
    stopping: tuple[Stopping, ...]
    tools: int
    other_accounts: tuple[str, ...]
    files: int
    open_connect_pages: int


@transaction.atomic
def rename(*, connection: Connection, label: str, surface: Surface, actor: Member) -> Connection:
    """Gives it another label, which is what callers name it by. Raises NotFound, EditRequired, ValidationError."""
    locked = lock_to_edit(connection, actor)
    locked.label = label.strip()
    locked.full_clean()
    locked.save(update_fields=["label", "updated_at"])
    _record("connection.rename", locked, surface, actor)
    return locked


@transaction.atomic
def disconnect(*, connection: Connection, surface: Surface, actor: Member) -> Connection:
    """Ends the account's use by everybody and erases its secret. Raises NotFound, EditRequired, Conflict."""
    return _disconnect(lock_to_edit(connection, actor), surface, actor)


@transaction.atomic
def disconnect_as_manager(*, connection: Connection, surface: Surface, actor: Member | None = None) -> Connection:
    """For somebody else's account too: the one thing that `connection:manage` may do to it. It gives no reach.

    Without an actor it is a superuser of the server. Raises PermissionRequired, Conflict.
    """
    organization = connection.connector.organization
    versions.bump(organization)
    authority.require(actor, Permission.CONNECTION_MANAGE, organization)
    return _disconnect(lock(connection), surface, actor)


@transaction.atomic
def store(*, connection: Connection, surface: Surface, actor: Member | None = None) -> Connection:
    """Keeps a new account, or what an owner changed of theirs. Raises ValidationError."""
    action = "connection.create" if connection._state.adding else "connection.change"
    versions.bump(connection.connector.organization)
    connection.full_clean()
    connection.save()
    _record(action, connection, surface, actor)
    return connection


def preview_delete(*, connection: Connection) -> Deletion:
    """What would break; changes nothing."""
    now = timezone.now()
    shares = connection.shares.select_related("member__user", "team")
    others = Connection.objects.filter(works(), owner=connection.owner_id, connector=connection.connector_id)
    return Deletion(
        shared_with=tuple(sorted(f"{it.grantee_label} ({it.get_level_display().lower()})" for it in shares)),
        stopping=tuple(losing(connection, live_pins_of(connection))),
        tools=connection.connector.tools.filter(enabled=True).count(),
        other_accounts=tuple(others.exclude(pk=connection.pk).order_by("label").values_list("label", flat=True)),
        files=StoredFile.objects.filter(connection=connection, expires_at__gt=now).count(),
        open_connect_pages=connection.connect_sessions.filter(ended_at__isnull=True, expires_at__gt=now).count(),
    )


@transaction.atomic
def delete(*, connection: Connection, surface: Surface, actor: Member) -> None:
    """Deletes one's own account. Raises NotFound, OwnerRequired, MemberNotActive."""
    _delete(lock_as_owner(connection, actor), surface, actor)


@transaction.atomic
def delete_as_manager(*, connection: Connection, surface: Surface, actor: Member | None = None) -> None:
    """Deletes anybody's. Without an actor it is a superuser of the server. Raises PermissionRequired, NotFound."""
    organization = connection.connector.organization
    versions.bump(organization)
    authority.require(actor, Permission.CONNECTION_MANAGE, organization)
    _delete(lock(connection), surface, actor)


def _disconnect(locked: Connection, surface: Surface, actor: Member | None) -> Connection:
    if locked.status == Connection.Status.DISCONNECTED:
        raise Conflict(f"{locked} is disconnected already.")
    revoke_on_commit(locked)
    locked.status = Connection.Status.DISCONNECTED
    locked.credential = {}
    locked.save(update_fields=["status", "credential", "updated_at"])
    _record("connection.disconnect", locked, surface, actor)
    return locked


def _delete(locked: Connection, surface: Surface, actor: Member | None) -> None:
    home, app = locked.connector.organization, locked.connector.label
    acting = {actor.pk} if actor else set()
    notices.account_ended(home, app, members=_sharing(locked) - acting)
    owners = {pin.frozen_tool.toolbox.owner_id for pin in live_pins_of(locked)}
    notices.tools_stopped(home, app, owners=owners - acting)
    _record("connection.delete", locked, surface, actor)
    revoke_on_commit(locked)
    locked.delete()


def _sharing(connection: Connection) -> set[UUID]:
    """Whom it is shared with by name or through a team at `use`. Of what everybody has, not everybody is told."""
    shares = connection.shares.filter(level__gte=Level.USE)
    named = Q(shares__in=shares) | Q(team_memberships__team__shares__in=shares)
    found: Iterable[UUID] = Member.objects.filter(named).values_list("pk", flat=True)
    return set(found)


def _record(action: str, connection: Connection, surface: Surface, actor: Member | None) -> None:
    audit.record(
        organization=connection.connector.organization,
        action=action,
        surface=surface,
        outcome="ok",
        actor=actor,
        target=f"connection:{connection.pk}",
        connection=str(connection),
        detail={"owner": connection.owner.user.email},
    )
