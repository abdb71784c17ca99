"""What becomes of a member's accounts when the membership ends.

A suspended member may come back to them; meanwhile they contribute nothing, since their owner is not active. Of a
removed one, those that others use pass to the new owner, and the private ones end: nobody else ever reached them.
"""

from accesscontrol import audit
from accesscontrol.holdings import Holding
from accesscontrol.models import Member, Surface
from connectors.credentials.oauth.revoking import revoke_on_commit
from connectors.models import Connection, Share
from connectors.services.transfers import pass_on

_GONE = Connection.Status.DISCONNECTED


def holdings(member: Member) -> list[Holding]:
    """The member's accounts, each with whom it is shared with; two queries."""
    rows = (
        Connection.objects.filter(owner=member)
        .exclude(status=_GONE)
        .select_related("connector")
        .defer("credential")
        .prefetch_related("shares__member__user", "shares__team")
    )
    return [
        Holding(
            kind="connection",
            label=str(row),
            used_by=tuple(sorted(share.grantee_label for share in row.shares.all())),
        )
        for row in rows
    ]


def end_accounts(*, member: Member, new_owner: Member | None, surface: Surface, actor: Member | None) -> None:
    """For a member who is being removed, in the transaction that removes them."""
    Share.objects.filter(member=member).delete()
    owned = Connection.objects.filter(owner=member).select_for_update(of=("self",), no_key=True)
    for connection in owned.select_related("connector__organization").order_by("pk"):
        if new_owner is not None and connection.status != _GONE and connection.shares.exists():
            pass_on(connection, new_owner, surface, actor)
        else:
            _end(connection, surface, actor)


def _end(connection: Connection, surface: Surface, actor: Member | None) -> None:
    """The secret goes with its owner; what it was shared with goes too, or a new owner would be asked for again."""
    connection.shares.all().delete()
    if connection.status == _GONE and not connection.credential:
        return
    revoke_on_commit(connection)
    connection.status = _GONE
    connection.status_reason = "Its owner was removed."
    connection.credential = {}
    connection.save(update_fields=["status", "status_reason", "credential", "updated_at"])
    _record("connection.disconnect", connection, surface, actor)


def _record(action: str, connection: Connection, surface: Surface, actor: Member | None) -> None:
    audit.record(
        organization=connection.connector.organization,
        action=action,
        surface=surface,
        outcome="ok",
        actor=actor,
        target=f"connection:{connection.pk}",
        connection=str(connection),
    )
