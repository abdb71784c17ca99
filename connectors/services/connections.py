"""Changing an account: its label, and its end."""

from django.db import transaction

from accesscontrol import audit, versions
from accesscontrol.exceptions import Conflict
from accesscontrol.models import Member, Surface
from accesscontrol.permissions import Permission
from accesscontrol.services import authority
from connectors.credentials.oauth.revoking import revoke_on_commit
from connectors.models import Connection
from connectors.services.authority import lock, lock_to_edit


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


@transaction.atomic
def delete_as_manager(*, connection: Connection, surface: Surface, actor: Member | None = None) -> None:
    """Like `disconnect_as_manager`, and the record goes too. Raises PermissionRequired."""
    organization = connection.connector.organization
    versions.bump(organization)
    authority.require(actor, Permission.CONNECTION_MANAGE, organization)
    locked = lock(connection)
    _record("connection.delete", locked, surface, actor)
    revoke_on_commit(locked)
    locked.delete()


def _disconnect(locked: Connection, surface: Surface, actor: Member | None) -> Connection:
    if locked.status == Connection.Status.DISCONNECTED:
        raise Conflict(f"{locked} is disconnected already.")
    revoke_on_commit(locked)
    locked.status = Connection.Status.DISCONNECTED
    locked.credential = {}
    locked.save(update_fields=["status", "credential", "updated_at"])
    _record("connection.disconnect", locked, surface, actor)
    return locked


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
