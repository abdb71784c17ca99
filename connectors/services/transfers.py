"""Giving an account to another member, who owns it from then on: its secret, its shares and its calls go along.

Only its owner gives one away. Of a suspended member, who cannot, `connection:manage` passes on what others use, as a
removal would; an account that its owner alone reached comes into nobody else's hands.

Who is reached by its shares stays so. What changes is the earlier owner's reach, and with it the pins that they made.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import transaction

from accesscontrol import audit, versions
from accesscontrol.exceptions import Conflict
from accesscontrol.models import Member, Surface
from accesscontrol.permissions import Permission
from accesscontrol.services import authority, notices
from connectors.connecting.sessions import close_sessions_of
from connectors.models import Connection, Level, Pin, Share
from connectors.pins import live_pins
from connectors.services.authority import lock, lock_as_owner

_LONGEST_LABEL = 90
"""What a number still fits behind."""


@dataclass(frozen=True, kw_only=True)
class Stopping:
    """A frozen tool that loses an account; `for_good` where it has no other one left and so does not run any more."""

    toolbox: str
    tool: str
    for_good: bool

    def __str__(self) -> str:
        return f"{self.tool} in {self.toolbox}" + ("" if self.for_good else " (has other accounts)")


@dataclass(frozen=True, kw_only=True)
class Transfer:
    """What a transfer would do. `keeps` says who is reached by which share; `loses` holds e-mail addresses."""

    new_owner: str
    label: str
    is_relabelled: bool
    keeps: tuple[str, ...]
    loses: tuple[str, ...]
    stopping: tuple[Stopping, ...]


def preview_transfer(*, connection: Connection, new_owner: Member, keep: Level | None = None) -> Transfer:
    """What would change, with the earlier owner keeping `keep`; changes nothing."""
    label = label_at(connection, new_owner)
    shares = connection.shares.exclude(member=new_owner).select_related("member__user", "team")
    left = _left_to(connection, keep)
    kept = [f"{share.grantee_label} ({share.get_level_display().lower()})" for share in shares]
    return Transfer(
        new_owner=new_owner.user.email,
        label=label,
        is_relabelled=label != connection.label,
        keeps=tuple(sorted([*kept, *([f"{connection.owner.user.email} ({keep.name.lower()})"] if keep else [])])),
        loses=() if left else (connection.owner.user.email,),
        stopping=() if left and left >= Level.USE else tuple(losing(connection, _pins_of_owner(connection))),
    )


@transaction.atomic
def transfer(
    *, connection: Connection, new_owner: Member, surface: Surface, actor: Member, keep: Level | None = None
) -> Connection:
    """Gives one's own account away and keeps a share of it, if any is named.

    Raises NotFound, OwnerRequired, MemberNotActive, and Conflict for a new owner who can't have it or an account that
    is disconnected.
    """
    locked = lock_as_owner(connection, actor)
    _hand_over(locked, new_owner, surface, actor, keep)
    return locked


@transaction.atomic
def transfer_as_manager(
    *, connection: Connection, new_owner: Member, surface: Surface, actor: Member | None = None
) -> Connection:
    """Passes on what others use of a suspended member's. Without an actor it is a superuser of the server.

    Raises PermissionRequired, NotFound, Conflict.
    """
    organization = connection.connector.organization
    versions.bump(organization)
    authority.require(actor, Permission.CONNECTION_MANAGE, organization)
    locked = lock(connection)
    if locked.owner.status != Member.Status.SUSPENDED:
        raise Conflict(f"Only {locked.owner.user.email}, whose account {locked.label} is, gives it to somebody else.")
    if not locked.shares.exists():
        raise Conflict(f"Nobody but {locked.owner.user.email} reaches {locked.label}, so it passes to nobody else.")
    _hand_over(locked, new_owner, surface, actor, None)
    return locked


def pass_on(connection: Connection, new_owner: Member, surface: Surface, actor: Member | None) -> None:
    """Changes the owner of a locked account, in the surrounding transaction; the label is told apart from theirs."""
    connection.label = label_at(connection, new_owner)
    connection.owner = new_owner
    connection.save(update_fields=["owner", "label", "updated_at"])
    connection.shares.filter(member=new_owner).delete()
    audit.record(
        organization=connection.connector.organization,
        action="connection.transfer",
        surface=surface,
        outcome="ok",
        actor=actor,
        target=f"connection:{connection.pk}",
        connection=str(connection),
        detail={"new_owner": new_owner.user.email},
    )


def label_at(connection: Connection, owner: Member) -> str:
    """What the account is called among this owner's; a number tells it from one that they have."""
    taken = set(Connection.objects.filter(owner=owner, connector=connection.connector).values_list("label", flat=True))
    label, number = connection.label, 2
    while label in taken:
        label = f"{connection.label[:_LONGEST_LABEL]} ({number})"
        number += 1
    return label


def losing(connection: Connection, ending: set[Pin]) -> Iterator[Stopping]:
    """The frozen tools that lose this account when these of its pins end."""
    for pin in sorted(ending, key=lambda it: (it.frozen_tool.toolbox.name, str(it.frozen_tool))):
        others = live_pins().filter(frozen_tool=pin.frozen_tool_id).exclude(connection=connection)
        yield Stopping(toolbox=pin.frozen_tool.toolbox.name, tool=str(pin.frozen_tool), for_good=not others.exists())


def live_pins_of(connection: Connection) -> set[Pin]:
    rows = live_pins().filter(connection=connection)
    return set(rows.select_related("frozen_tool__toolbox", "frozen_tool__connector"))


def _pins_of_owner(connection: Connection) -> set[Pin]:
    return {pin for pin in live_pins_of(connection) if pin.pinned_by_id == connection.owner_id}


def _left_to(connection: Connection, keep: Level | None) -> Level | None:
    """The level that the earlier owner has afterwards, by what they keep or by what a team or everybody has."""
    shared = Share.objects.with_member(connection.owner).filter(connection=connection)
    levels = [keep, *shared.values_list("level", flat=True)]
    return max((Level(level) for level in levels if level), default=None)


def _hand_over(
    locked: Connection, new_owner: Member, surface: Surface, actor: Member | None, keep: Level | None
) -> None:
    before = locked.owner
    _assert_may_own(locked, new_owner)
    tools = _pins_of_owner(locked) if (_left_to(locked, keep) or 0) < Level.USE else set()
    close_sessions_of(locked)
    pass_on(locked, new_owner, surface, actor)
    if keep:
        Share.objects.create(
            organization=locked.connector.organization, connection=locked, member=before, level=keep, shared_by=actor
        )
    home, app = locked.connector.organization, locked.connector.label
    notices.account_received(home, app, owner=new_owner.pk)
    toolbox_owners = {pin.frozen_tool.toolbox.owner_id for pin in tools} - {before.pk}
    notices.tools_stopped(home, app, owners=toolbox_owners)


def _assert_may_own(locked: Connection, new_owner: Member) -> None:
    """Under the organization's lock, after which a suspension would have to come."""
    home = locked.connector.organization
    is_active = Member.objects.of(home).filter(pk=new_owner.pk, status=Member.Status.ACTIVE).exists()
    if new_owner.pk == locked.owner_id or not is_active:
        raise Conflict("The new owner must be another active member of the same organization.")
    if locked.status == Connection.Status.DISCONNECTED:
        raise Conflict(f"{locked.label} is disconnected, so there is nothing to pass on. Connect it again first.")
