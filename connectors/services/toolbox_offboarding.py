"""What becomes of a member's toolboxes and pins when the membership ends.

While a member is suspended, both stand still: neither is served to others. Of a removed one, the pins end, toolboxes
that others use pass to the new owner, and private ones go. A tool whose pins have ended waits for new ones.
"""

from accesscontrol.holdings import Holding
from accesscontrol.models import Member, Surface
from connectors.models import Pin, Toolbox
from connectors.services.toolboxes import record


def holdings(member: Member) -> list[Holding]:
    """The member's toolboxes, each with whom it is shared with; three queries."""
    rows = Toolbox.objects.filter(owner=member).prefetch_related("shares__member__user", "shares__team")
    return [
        Holding(kind="toolbox", label=row.name, used_by=tuple(sorted(one.grantee_label for one in row.shares.all())))
        for row in rows
    ]


def end_toolboxes(*, member: Member, new_owner: Member | None, surface: Surface, actor: Member | None) -> None:
    """For a member who is being removed, in the transaction that removes them; what was shared with them is gone."""
    Pin.objects.filter(pinned_by=member).delete()
    owned = Toolbox.objects.filter(owner=member).select_for_update(of=("self",), no_key=True)
    for toolbox in owned.select_related("organization", "owner__user").order_by("pk"):
        if new_owner is not None and toolbox.shares.exists():
            _pass_on(toolbox, new_owner, surface, actor)
        else:
            record("toolbox.delete", toolbox, surface, actor)
            toolbox.delete()


def _pass_on(toolbox: Toolbox, new_owner: Member, surface: Surface, actor: Member | None) -> None:
    name, number = toolbox.name, 2
    taken = set(Toolbox.objects.filter(owner=new_owner).values_list("name", flat=True))
    while toolbox.name in taken:
        toolbox.name = f"{name[:90]} ({number})"
        number += 1
    toolbox.owner = new_owner
    toolbox.save(update_fields=["owner", "name", "updated_at"])
    toolbox.shares.filter(member=new_owner).delete()
    record("toolbox.transfer", toolbox, surface, actor)
