"""Who may change a connection or a toolbox: its owner, and those it is shared with at `edit`.

No role stands in for that.
"""

from typing import Any

from accesscontrol import versions
from accesscontrol.exceptions import NotFound, Refusal
from accesscontrol.models import Member, Organization
from accesscontrol.services import authority
from connectors.models import Connection, Level
from connectors.models.share import Target, target_field
from connectors.reach import reaches


class EditRequired(Refusal):
    """The connection or toolbox is within reach, and not at `edit`."""

    code = "permission_required"

    def __init__(self, target: Target) -> None:
        owner = target.owner.user.email
        kind = "account" if isinstance(target, Connection) else "toolbox"
        super().__init__(
            f"Only {owner}, whose {kind} {label_of(target)} is, or somebody it is shared with at edit may change it. "
            "Ask them.",
            level="edit",
            owner=owner,
        )


class OwnerRequired(Refusal):
    """The account is within reach, and somebody else's: what only its owner does with it."""

    code = "permission_required"

    def __init__(self, connection: Connection) -> None:
        owner = connection.owner.user.email
        super().__init__(f"Only {owner}, whose account {connection.label} is, can do this. Ask them to.", owner=owner)


def lock_as_owner(connection: Connection, actor: Member) -> Connection:
    """The account, locked for what only its owner does. Raises MemberNotActive, NotFound, OwnerRequired."""
    versions.bump(connection.connector.organization)
    found = authority.current(actor)
    locked = lock(connection)
    if not reaches(found, locked, at_least=Level.VIEW):
        raise NotFound(target_field(Connection))
    if locked.owner_id != found.pk:
        raise OwnerRequired(locked)
    return locked


def lock_to_edit[T: Target](target: T, actor: Member) -> T:
    """The connection or toolbox, locked for a change by this actor, in the surrounding transaction.

    Bumps the version first: the row lock of the organization puts this after whatever took the actor's `edit` away, or
    before it. Raises MemberNotActive; NotFound where the actor does not even see the target, whatever their role;
    EditRequired.
    """
    versions.bump(home_of(target))
    found = authority.current(actor)
    locked = lock(target)
    if not reaches(found, locked, at_least=Level.VIEW):
        raise NotFound(target_field(type(target)))
    if not reaches(found, locked, at_least=Level.EDIT):
        raise EditRequired(locked)
    return locked


def lock[T: Target](target: T) -> T:
    """Raises NotFound where it was deleted a moment ago."""
    home = "connector__organization" if isinstance(target, Connection) else "organization"
    model: Any = type(target)
    rows = model.objects.select_for_update(of=("self",), no_key=True)
    locked: T | None = rows.select_related(home, "owner__user").filter(pk=target.pk).first()
    if locked is None:
        raise NotFound(target_field(type(target)))
    return locked


def home_of(target: Target) -> Organization:
    return target.connector.organization if isinstance(target, Connection) else target.organization


def label_of(target: Target) -> str:
    """What its owner calls it."""
    return target.label if isinstance(target, Connection) else target.name
