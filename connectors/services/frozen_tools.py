"""The tools of a toolbox: adding one, changing it, taking it out, and the accounts it is pinned to.

Who may: whoever may edit the toolbox, and for each tool the resolver says so at `save`. What is saved fits the tool's
schema as it is now and holds no secret.

A pin runs on the authority of the member who made it, who agreed to these arguments and no others. So when somebody
else changes the arguments, each pin becomes theirs where they reach its account at `use` themselves, and ends where
they do not.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from accesscontrol import versions
from accesscontrol.exceptions import Conflict, InvalidArguments, NotFound, Problem
from accesscontrol.models import Member, Surface
from accesscontrol.policy import ToolRef
from accesscontrol.resolver import Checkpoint, require_now
from accesscontrol.services import authority
from connectors.credentials.vault import CredentialUnreadable
from connectors.curation import freezing, secrecy
from connectors.curation.frozen_names import name_problem
from connectors.known_names import ref_by_name
from connectors.models import Connection, Connector, FrozenTool, Level, Pin, Tool, Toolbox
from connectors.reach import reaches
from connectors.services.authority import lock_to_edit
from connectors.services.toolboxes import record

MAX_TOOLS = 100
"""Of one toolbox: everybody it is shared with reads all of them."""
MAX_DESCRIPTION = 2_000


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What is to be set; what is None stays as it is.

    `connections` are the accounts to pin the tool to; none of them means that it runs through its caller's own.
    """

    name: str | None = None
    description: str | None = None
    fixed: Mapping[str, Any] | None = None
    defaults: Mapping[str, Any] | None = None
    enabled: bool | None = None
    connections: Sequence[Connection] | None = None


_SWITCHED_OFF = Changes(enabled=False)
"""Needs nothing to be sound: what is not any more, as its tool is gone, must be possible to put away."""


@transaction.atomic
def add(
    *,
    toolbox: Toolbox,
    connector: Connector,
    tool: str,
    surface: Surface,
    actor: Member,
    changes: Changes,
) -> FrozenTool:
    """Freezes the connector's tool of this name into the toolbox.

    Raises NotFound, EditRequired, MemberNotActive, Restricted, InvalidArguments, Conflict.
    """
    locked = lock_to_edit(toolbox, actor)
    if locked.frozen_tools.count() >= MAX_TOOLS:
        raise Conflict(f"{locked.name} holds {MAX_TOOLS} tools, which is as many as a toolbox can. Make another.")
    row = FrozenTool(toolbox=locked, connector=connector, tool=tool)
    return _save("toolbox.add_tool", row, changes, surface, actor)


@transaction.atomic
def change(*, frozen_tool: FrozenTool, changes: Changes, surface: Surface, actor: Member) -> FrozenTool:
    """Raises as `add` does."""
    return _save("toolbox.change_tool", _locked(frozen_tool, actor), changes, surface, actor)


@transaction.atomic
def remove(*, frozen_tool: FrozenTool, surface: Surface, actor: Member) -> None:
    """Takes it out, for everybody. Raises NotFound, EditRequired, MemberNotActive."""
    row = _locked(frozen_tool, actor)
    _record("toolbox.remove_tool", row, surface, actor)
    row.delete()


@transaction.atomic
def unpin(*, pin: Pin, surface: Surface, actor: Member) -> None:
    """Takes an account back from a frozen tool; with the last one the tool ends, and takes no other in its place.

    Who may: whoever pinned it, whoever may edit the account, and whoever may edit the toolbox. Raises NotFound,
    MemberNotActive.
    """
    toolbox = pin.frozen_tool.toolbox
    versions.bump(toolbox.organization)
    member = authority.current(actor)
    found = Pin.objects.of(toolbox.organization).select_related("connection", "frozen_tool__toolbox__owner__user")
    current = found.filter(pk=pin.pk).first()
    if current is None or not _may_unpin(current, member):
        raise NotFound("pin")
    _record("toolbox.unpin", current.frozen_tool, surface, actor, connection=str(current.connection))
    current.delete()


def ref_of(row: FrozenTool) -> ToolRef:
    """What the resolver is asked about: the tool itself, also where it is called otherwise by now, or is gone."""
    return ref_by_name(row.connector, row.tool)


def _save(action: str, row: FrozenTool, changes: Changes, surface: Surface, actor: Member) -> FrozenTool:
    member = authority.current(actor)
    if row.connector.organization_id != row.toolbox.organization_id:
        raise NotFound("tool")
    ref = ref_of(row)
    require_now(Checkpoint.SAVE, member, ref, f"{ref.connector}.{ref.tool}")
    before = row.fixed, row.defaults
    _apply(row, changes)
    if changes != _SWITCHED_OFF:
        _assert_sound(row, member)
    row.save()
    if changes.connections is not None:
        _pin(row, changes.connections, member)
    if (row.fixed, row.defaults) != before:
        _take_over_pins(row, member)
    _record(action, row, surface, actor, fixed=sorted(row.fixed), pins=row.pins.count())
    return row


def _apply(row: FrozenTool, changes: Changes) -> None:
    for name in ("name", "description"):
        text = getattr(changes, name)
        if text is not None:
            setattr(row, name, text.strip())
    for name in ("fixed", "defaults"):
        values = getattr(changes, name)
        if values is not None:
            setattr(row, name, dict(values))
    if changes.enabled is not None:
        row.enabled = changes.enabled
    if changes.connections is not None:
        row.pinned = bool(changes.connections)


def _assert_sound(row: FrozenTool, member: Member) -> None:
    """Raises NotFound where there is no such tool to call, InvalidArguments, Conflict, ValidationError."""
    tool = _tool(row)
    if tool is None or not tool.enabled or not row.connector.enabled:
        raise NotFound("tool")
    problems = freezing.check(tool.input_schema, row.fixed, row.defaults)
    own = _credentials_of(member, row.toolbox.owner)
    for place, values in (("fixed", row.fixed), ("defaults", row.defaults)):
        problems += secrecy.unfit(place, tool.input_schema, values, own)
    if row.name and (reason := name_problem(row.name)):
        problems.append(Problem("/name", reason))
    if len(row.description) > MAX_DESCRIPTION:
        problems.append(Problem("/description", f"must have at most {MAX_DESCRIPTION} characters"))
    if problems:
        raise InvalidArguments(problems)
    if row.name and row.toolbox.frozen_tools.filter(name=row.name).exclude(pk=row.pk).exists():
        raise Conflict(f"{row.toolbox.name} has a tool named {row.name} already. Choose another name.")
    row.full_clean()


def _pin(row: FrozenTool, connections: Sequence[Connection], member: Member) -> None:
    """Pins it to these accounts and no others. Those it was pinned to stay as they were."""
    row.pins.exclude(connection__in=connections).delete()
    kept = set(row.pins.values_list("connection_id", flat=True))
    for connection in dict.fromkeys(connections):
        if connection.pk in kept:
            continue
        if not reaches(member, connection, at_least=Level.USE):
            raise NotFound("connection")
        if connection.connector_id != row.connector_id:
            app = row.connector.label
            raise Conflict(f"{connection.label} is no account at {app}, whose tool this is. Pin one that is.")
        Pin.objects.create(frozen_tool=row, connection=connection, pinned_by=member)


def _take_over_pins(row: FrozenTool, member: Member) -> None:
    for pin in row.pins.exclude(pinned_by=member).select_related("connection__connector"):
        if reaches(member, pin.connection, at_least=Level.USE):
            pin.pinned_by = member
            pin.save(update_fields=["pinned_by"])
        else:
            pin.delete()


def _may_unpin(pin: Pin, member: Member) -> bool:
    if pin.pinned_by_id == member.pk:
        return True
    return any(reaches(member, it, at_least=Level.EDIT) for it in (pin.frozen_tool.toolbox, pin.connection))


def _locked(frozen_tool: FrozenTool, actor: Member) -> FrozenTool:
    """The frozen tool as it is now, under the lock of its toolbox."""
    locked = lock_to_edit(frozen_tool.toolbox, actor)
    found = locked.frozen_tools.select_related("connector").filter(pk=frozen_tool.pk).first()
    if found is None:
        raise NotFound("frozen tool")
    found.toolbox = locked
    return found


def _tool(row: FrozenTool) -> Tool | None:
    return Tool.objects.filter(connector=row.connector_id, name=row.tool).select_related("connector").first()


def _credentials_of(*members: Member) -> set[str]:
    """What must stand in no frozen value: the credentials of the accounts that these members own."""
    return set().union(*map(_secrets, Connection.objects.filter(owner__in=members)))


def _secrets(connection: Connection) -> Iterable[str]:
    try:
        return secrecy.secrets_in(connection.credential.reveal())
    except CredentialUnreadable:
        return set()


def _record(action: str, row: FrozenTool, surface: Surface, actor: Member, **detail: Any) -> None:
    record(action, row.toolbox, surface, actor, tool=f"{row.connector.slug}.{row.tool}", name=row.name, **detail)
