"""Who may change a connection: its owner, and those it is shared with at `edit`. No role stands in for that."""

from accesscontrol import versions
from accesscontrol.exceptions import NotFound, Refusal
from accesscontrol.models import Member
from accesscontrol.services import authority
from connectors.models import Connection, Level
from connectors.reach import reaches


class EditRequired(Refusal):
    """The connection is within reach, and not at `edit`."""

    code = "permission_required"

    def __init__(self, connection: Connection) -> None:
        owner = connection.owner.user.email
        super().__init__(
            f"Only {owner}, whose account {connection.label} is, or somebody it is shared with at edit may change it.",
            level="edit",
            owner=owner,
        )


def lock_to_edit(connection: Connection, actor: Member) -> Connection:
    """The connection, locked for a change by this actor, in the surrounding transaction.

    Bumps the version first: the row lock of the organization puts this after whatever took the actor's `edit` away, or
    before it. Raises MemberNotActive; NotFound where the actor does not even see the connection, whatever their role;
    EditRequired.
    """
    versions.bump(connection.connector.organization)
    found = authority.current(actor)
    locked = lock(connection)
    if not reaches(found, locked, at_least=Level.VIEW):
        raise NotFound("connection")
    if not reaches(found, locked, at_least=Level.EDIT):
        raise EditRequired(locked)
    return locked


def lock(connection: Connection) -> Connection:
    """Raises NotFound where it was deleted a moment ago."""
    rows = Connection.objects.select_for_update(of=("self",), no_key=True)
    locked = rows.select_related("connector__organization", "owner__user").filter(pk=connection.pk).first()
    if locked is None:
        raise NotFound("connection")
    return locked
