"""The operations by which those who may change an account share it, rename it and disconnect it."""

from typing import Any, Literal

from django.core.exceptions import ValidationError
from pydantic import Field

from accesscontrol.caller import Caller
from accesscontrol.exceptions import InvalidArguments, NotFound, Problem
from accesscontrol.models import Member, Team
from accesscontrol.operation import Operation, OperationInput, registry
from accesscontrol.permissions import Permission, Scope
from connectors.models import Connection, Share
from connectors.models.share import LEVELS
from connectors.services import connections, sharing


class ConnectionInput(OperationInput):
    connection: str = Field(max_length=36, description="The id, from elaichi__connection__list.")


class GranteeInput(ConnectionInput):
    """Exactly one grantee is named."""

    member: str = Field(default="", max_length=254, description="The e-mail address of one member.")
    team: str = Field(default="", max_length=80, description="The name or id of a team, from elaichi__team__list.")
    everyone: bool = Field(default=False, description="True for everyone in the organization.")


class ShareInput(GranteeInput):
    level: Literal["view", "use", "edit"] = Field(
        description="view: it is listed. use: its tools can be called, too. edit: it can be changed and shared, too."
    )


class RenameInput(ConnectionInput):
    label: str = Field(min_length=1, max_length=100, description="What it is called from now on.")


def share(caller: Caller, asked: ShareInput) -> dict[str, Any]:
    connection = _connection(caller, asked)
    sharing.share(
        target=connection,
        grantee=_grantee(caller, asked),
        level=LEVELS[asked.level],
        surface=caller.surface,
        actor=caller.member,
    )
    return _described(connection)


def unshare(caller: Caller, asked: GranteeInput) -> dict[str, Any]:
    connection = _connection(caller, asked)
    sharing.unshare(target=connection, grantee=_grantee(caller, asked), surface=caller.surface, actor=caller.member)
    return _described(connection)


def rename(caller: Caller, asked: RenameInput) -> dict[str, Any]:
    try:
        renamed = connections.rename(
            connection=_connection(caller, asked), label=asked.label, surface=caller.surface, actor=caller.member
        )
    except ValidationError as error:
        raise InvalidArguments([Problem("label", " ".join(error.messages))]) from None
    return _described(renamed)


def disconnect(caller: Caller, asked: ConnectionInput) -> dict[str, Any]:
    ended = connections.disconnect(connection=_connection(caller, asked), surface=caller.surface, actor=caller.member)
    return _described(ended) | {"status": ended.status}


def shared_with(connection: Connection) -> list[dict[str, str]]:
    """Each grantee and level of a connection."""
    return [_share(one) for one in connection.shares.all()]


def _share(share: Share) -> dict[str, str]:
    kind = "member" if share.member_id else "team" if share.team_id else "everyone"
    return {kind: share.grantee_label, "level": share.get_level_display().lower()}


def _described(connection: Connection) -> dict[str, Any]:
    return {"id": str(connection.pk), "label": connection.label, "shared_with": shared_with(connection)}


def _connection(caller: Caller, asked: ConnectionInput) -> Connection:
    """One of the organization; whether the caller reaches it is for the service to say, in the same words."""
    rows = Connection.objects.of(caller.organization).select_related("connector__organization")
    found = rows.with_id(asked.connection).first()
    if found is None:
        raise NotFound("connection")
    return found


def _grantee(caller: Caller, asked: GranteeInput) -> sharing.Grantee:
    if [bool(asked.member), bool(asked.team), asked.everyone].count(True) != 1:
        raise InvalidArguments([Problem("", "name exactly one of member, team and everyone")])
    if asked.everyone:
        return caller.organization
    return _member(caller, asked.member) if asked.member else _team(caller, asked.team)


def _member(caller: Caller, email: str) -> Member:
    rows = Member.objects.of(caller.organization).exclude(status=Member.Status.REMOVED).select_related("user")
    found = rows.filter(user__email=email.strip().lower()).first()
    if found is None:
        raise NotFound("member")
    return found


def _team(caller: Caller, named: str) -> Team:
    rows = Team.objects.of(caller.organization)
    found = rows.with_id(named).first() or rows.filter(name__iexact=named.strip()).first()
    if found is None:
        raise NotFound("team")
    return found


registry.register(
    Operation(
        domain="connection",
        verb="share",
        title="Share a connection",
        description=(
            "Lets a member, a team or everyone see, use or edit an account of yours, or one you may edit. Sharing it "
            "again replaces the level. They act through the account and never see its secret."
        ),
        input=ShareInput,
        permission=Permission.CONNECTION_CREATE,
        scope=Scope.WRITE,
        run=share,
        subject="connection",
    )
)
registry.register(
    Operation(
        domain="connection",
        verb="unshare",
        title="Stop sharing a connection",
        description="Takes an account of yours, or one you may edit, back from a member, a team or everyone.",
        input=GranteeInput,
        permission=Permission.CONNECTION_CREATE,
        scope=Scope.WRITE,
        run=unshare,
        subject="connection",
    )
)
registry.register(
    Operation(
        domain="connection",
        verb="rename",
        title="Rename a connection",
        description="Gives an account of yours, or one you may edit, another label.",
        input=RenameInput,
        permission=Permission.CONNECTION_CREATE,
        scope=Scope.WRITE,
        run=rename,
        subject="connection",
    )
)
registry.register(
    Operation(
        domain="connection",
        verb="disconnect",
        title="Disconnect a connection",
        description=(
            "Ends an account of yours, or one you may edit, for everybody it is shared with, and erases its secret."
        ),
        input=ConnectionInput,
        permission=Permission.CONNECTION_CREATE,
        scope=Scope.DESTRUCTIVE,
        run=disconnect,
        subject="connection",
    )
)
