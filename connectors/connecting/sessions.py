"""Opening, using and closing connect sessions.

The address of a page holds 256 random bits of which only the hash is kept. It works for ten minutes, once, and only for
the member it was made for, signed in: who forwards the address gives nothing away.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from accesscontrol import audit, versions
from accesscontrol.bearer_secrets import digest, new_secret
from accesscontrol.caller import Caller
from accesscontrol.exceptions import Conflict
from accesscontrol.models import Member, Surface, User
from accesscontrol.permissions import Permission
from accesscontrol.policy import ToolRef
from accesscontrol.resolver import Checkpoint, decide_now, require
from connectors.auth_scheme import AuthKind
from connectors.catalog.mcp.staleness import ask_for_first_tools
from connectors.credentials.oauth.apps import app_of
from connectors.models import Connection, Connector, ConnectSession

LIFETIME = timedelta(minutes=10)
_TRACES_STAY = timedelta(days=7)


class SessionOver(Conflict):
    """Unknown, used, expired, or another person's: one message, so that nothing can be told apart."""

    def __init__(self) -> None:
        super().__init__("This page is no longer valid, or it was made for somebody else. Ask for a new one.")


def open_session(
    caller: Caller, connector: Connector, connection: Connection | None = None
) -> tuple[ConnectSession, str]:
    """A session and the address of its page.

    Raises Restricted where a rule keeps the connector from the caller, and OAuthAppMissing where nobody could sign in.
    """
    require_connectable(caller, connector)
    if connector.auth_scheme.kind is AuthKind.OAUTH2:
        app_of(connector)
    token = new_secret()
    session = ConnectSession.objects.create(
        member=caller.member,
        connector=connector,
        connection=connection,
        token_hash=digest(token),
        expires_at=timezone.now() + LIFETIME,
    )
    return session, f"{settings.PUBLIC_URL}/connect/{token}/"


def require_connectable(caller: Caller, connector: Connector) -> None:
    """Raises Restricted."""
    require(Checkpoint.CONNECT, caller, _ref(connector), connector.label)


def require_still_connectable(session: ConnectSession) -> None:
    """A rule may have been written since the page was handed out, or the role changed. Raises SessionOver."""
    [decision] = decide_now(Checkpoint.CONNECT, session.member, [_ref(session.connector)])
    if not decision.allowed or not session.member.may(Permission.CONNECTION_CREATE):
        raise SessionOver


def _ref(connector: Connector) -> ToolRef:
    return ToolRef(connector=connector.slug, lineage=tuple(connector.lineage))


def find_session(token: str, user: User) -> ConnectSession:
    """The open session behind an address, for the signed-in person it was made for. Raises SessionOver."""
    session = open_sessions(user).filter(token_hash=digest(token)).first()
    if session is None:
        raise SessionOver
    require_still_connectable(session)
    return session


def open_sessions(user: User) -> QuerySet[ConnectSession]:
    rows = ConnectSession.objects.filter(
        ended_at__isnull=True,
        expires_at__gt=timezone.now(),
        member__user=user,
        member__status=Member.Status.ACTIVE,
        connector__enabled=True,
    )
    return rows.select_related(
        "member__organization", "member__role", "member__user", "connector__organization", "connection"
    )


@transaction.atomic
def complete(
    session: ConnectSession, *, label: str, credential: Mapping[str, Any], remote_account: str = ""
) -> Connection:
    """Stores the account as active and ends the session; whichever of two submissions commits second is refused.

    Raises SessionOver, and ValidationError for a label that the member has already.
    """
    organization = session.member.organization
    versions.bump(organization)
    ended = ConnectSession.objects.filter(pk=session.pk, ended_at__isnull=True).update(ended_at=timezone.now())
    if not ended:
        raise SessionOver
    require_still_connectable(session)
    connection = _own_account(session) or Connection(connector=session.connector, owner=session.member)
    connection.label = label
    connection.status, connection.status_reason = Connection.Status.ACTIVE, ""
    connection.credential = dict(credential)
    connection.remote_account = remote_account or connection.remote_account
    connection.full_clean()
    connection.save()
    audit.record(
        organization=organization,
        action="connection.connect",
        surface=Surface.API,
        outcome="ok",
        actor=session.member,
        target=f"connection:{connection.pk}",
        detail={"connector": session.connector.slug},
    )
    ask_for_first_tools(session.connector)
    return connection


def _own_account(session: ConnectSession) -> Connection | None:
    """What is authorized anew, locked: it may have passed to somebody else since the session was opened."""
    if session.connection_id is None:
        return None
    rows = Connection.objects.select_for_update(of=("self",), no_key=True)
    account = rows.select_related("connector").filter(pk=session.connection_id, owner=session.member).first()
    if account is None:
        raise SessionOver
    return account


def close_sessions_of(connection: Connection) -> int:
    """Ends those that would authorize this account anew, in the surrounding transaction."""
    return connection.connect_sessions.filter(ended_at__isnull=True).update(ended_at=timezone.now())


def close_sessions(member: Member) -> int:
    """Ends every open session of a member, in the surrounding transaction."""
    return ConnectSession.objects.filter(member=member, ended_at__isnull=True).update(ended_at=timezone.now())


def forget(*, now: datetime) -> int:
    """Deletes those that were used, closed or over for a week, in every organization; how many those were."""
    before = now - _TRACES_STAY
    deleted, _ = ConnectSession.objects.filter(Q(ended_at__lte=before) | Q(expires_at__lte=before)).delete()
    return deleted
