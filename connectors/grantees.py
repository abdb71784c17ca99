"""Whom something is shared with, as the operations name them and tell of them."""

from typing import Any, Literal

from pydantic import Field

from accesscontrol.caller import Caller
from accesscontrol.exceptions import NotFound
from accesscontrol.models import Member, Team
from accesscontrol.operation import OperationInput
from accesscontrol.tenancy import with_id
from connectors.models import Share
from connectors.models.share import LEVELS, Target
from connectors.services import sharing

EVERYONE = "everyone"
NONE = "none"


class ShareInput(OperationInput):
    """What is shared is for the inputs that extend this one to say."""

    grantee: str = Field(min_length=1, max_length=254, description="E-mail, team or everyone.")
    level: Literal["none", "view", "use", "edit"] = Field(description="use: its tools run; none: ends it.")


def apply(caller: Caller, target: Target, asked: ShareInput) -> None:
    """Raises NotFound for a grantee that is not here, and what `sharing.share` and `sharing.unshare` raise."""
    grantee = _grantee(caller, asked.grantee.strip())
    if asked.level == NONE:
        sharing.unshare(target=target, grantee=grantee, surface=caller.surface, actor=caller.member)
    else:
        level = LEVELS[asked.level]
        sharing.share(target=target, grantee=grantee, level=level, surface=caller.surface, actor=caller.member)


def shared_with(target: Target) -> list[dict[str, Any]]:
    """Each grantee and level of a connection or toolbox."""
    return [_share(one) for one in target.shares.all()]


def _share(share: Share) -> dict[str, str]:
    kind = "member" if share.member_id else "team" if share.team_id else EVERYONE
    return {kind: share.grantee_label, "level": share.get_level_display().lower()}


def _grantee(caller: Caller, named: str) -> sharing.Grantee:
    if named.lower() == EVERYONE:
        return caller.organization
    return member_named(caller, named) if "@" in named else _team(caller, named)


def member_named(caller: Caller, email: str) -> Member:
    rows = Member.objects.of(caller.organization).exclude(status=Member.Status.REMOVED).select_related("user")
    found = rows.filter(user__email=email.lower()).first()
    if found is None:
        raise NotFound("member")
    return found


def _team(caller: Caller, named: str) -> Team:
    rows = Team.objects.of(caller.organization)
    found = with_id(rows, named).first() or rows.filter(name__iexact=named).first()
    if found is None:
        raise NotFound("team")
    return found
