"""Making a toolbox of one's own out of a template."""

from dataclasses import dataclass

from django.db import transaction

from accesscontrol.exceptions import NotFound
from accesscontrol.models import Member, Surface
from accesscontrol.resolver import Checkpoint, decide_now
from connectors.models import FrozenTool, Level, Toolbox
from connectors.reach import toolboxes_within_reach
from connectors.services import toolboxes
from connectors.services.frozen_tools import ref_of


@dataclass(frozen=True, kw_only=True)
class Stamped:
    """`left_out` names the template's tools that a rule denies to the new owner."""

    toolbox: Toolbox
    left_out: tuple[str, ...]


@transaction.atomic
def stamp(*, template: Toolbox, owner: Member, name: str, surface: Surface) -> Stamped:
    """The owner's own toolbox with the tools and the skill of a template that they reach at `view`.

    Its tools run through its callers' own accounts: no pin is copied. A later change of the template does not follow.
    Raises NotFound where there is no such template within reach, PermissionRequired, MemberNotActive, ValidationError.
    """
    made = toolboxes.create(name=name, surface=surface, actor=owner)
    reached = toolboxes_within_reach(made.owner, at_least=Level.VIEW)
    source = reached.filter(pk=template.pk, is_template=True, enabled=True).first()
    if source is None:
        raise NotFound("template")
    made.stamped_from, made.description, made.skill = source, source.description, source.skill
    made.save(update_fields=["stamped_from", "description", "skill", "updated_at"])
    rows = list(source.frozen_tools.select_related("connector").order_by("created_at", "pk"))
    decisions = decide_now(Checkpoint.SAVE, made.owner, [ref_of(row) for row in rows])
    left_out = []
    for row, decision in zip(rows, decisions, strict=True):
        if decision.allowed:
            _copy(row, made)
        else:
            left_out.append(str(row))
    toolboxes.record("toolbox.stamp", made, surface, owner, template=source.name, left_out=left_out)
    return Stamped(toolbox=made, left_out=tuple(left_out))


def _copy(row: FrozenTool, toolbox: Toolbox) -> None:
    FrozenTool.objects.create(
        toolbox=toolbox,
        connector=row.connector,
        tool=row.tool,
        name=row.name,
        description=row.description,
        fixed=row.fixed,
        defaults=row.defaults,
        enabled=row.enabled,
    )
