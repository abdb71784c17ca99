"""Making and changing a toolbox.

Its tools are for `frozen_tools`, handing it on for `sharing`, making one of a template for `stamping`.

Who may: its owner, and those it is shared with at `edit`. `toolbox:manage` disables and deletes anybody's, and gives no
reach of any.
"""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from accesscontrol import audit, versions
from accesscontrol.exceptions import Conflict
from accesscontrol.models import Member, Surface
from accesscontrol.permissions import Permission
from accesscontrol.services import authority
from connectors.models import Toolbox
from connectors.models.toolbox import MAX_SKILL
from connectors.services.authority import lock, lock_to_edit


@transaction.atomic
def create(
    *,
    name: str,
    surface: Surface,
    actor: Member,
    description: str = "",
    skill: str = "",
    is_template: bool = False,
) -> Toolbox:
    """An empty toolbox of the actor's. Raises PermissionRequired, MemberNotActive, ValidationError."""
    versions.bump(actor.organization)
    owner = authority.require(actor, Permission.TOOLBOX_CREATE, actor.organization)
    assert owner is not None
    toolbox = Toolbox(
        organization=owner.organization,
        owner=owner,
        name=name.strip(),
        description=description.strip(),
        skill=skill.strip(),
        is_template=is_template,
    )
    _store(toolbox)
    record("toolbox.create", toolbox, surface, actor)
    return toolbox


@transaction.atomic
def change(
    *,
    toolbox: Toolbox,
    surface: Surface,
    actor: Member,
    name: str | None = None,
    description: str | None = None,
    skill: str | None = None,
    is_template: bool | None = None,
    enabled: bool | None = None,
) -> Toolbox:
    """Changes what is given and leaves the rest. Raises NotFound, EditRequired, MemberNotActive, ValidationError."""
    locked = lock_to_edit(toolbox, actor)
    texts = {"name": name, "description": description, "skill": skill}
    given: dict[str, Any] = {field: text.strip() for field, text in texts.items() if text is not None}
    flags = {"is_template": is_template, "enabled": enabled}
    given |= {field: flag for field, flag in flags.items() if flag is not None}
    for field, value in given.items():
        setattr(locked, field, value)
    _store(locked)
    record("toolbox.change", locked, surface, actor, changed=sorted(given))
    return locked


@transaction.atomic
def delete(*, toolbox: Toolbox, surface: Surface, actor: Member) -> None:
    """Ends it for everybody it is shared with. Raises NotFound, EditRequired, MemberNotActive."""
    locked = lock_to_edit(toolbox, actor)
    record("toolbox.delete", locked, surface, actor)
    locked.delete()


@transaction.atomic
def disable_as_manager(*, toolbox: Toolbox, surface: Surface, actor: Member | None = None) -> Toolbox:
    """Takes its tools from everybody, until somebody who may edit it enables it again.

    Without an actor it is a superuser of the server. Raises PermissionRequired, NotFound, Conflict.
    """
    locked = _lock_to_manage(toolbox, actor)
    if not locked.enabled:
        raise Conflict(f"{locked.name} is disabled already; nothing is left to do.")
    locked.enabled = False
    locked.save(update_fields=["enabled", "updated_at"])
    record("toolbox.disable", locked, surface, actor)
    return locked


@transaction.atomic
def delete_as_manager(*, toolbox: Toolbox, surface: Surface, actor: Member | None = None) -> None:
    """Like `disable_as_manager`, and for good. Raises PermissionRequired, NotFound."""
    locked = _lock_to_manage(toolbox, actor)
    record("toolbox.delete", locked, surface, actor)
    locked.delete()


def record(action: str, toolbox: Toolbox, surface: Surface, actor: Member | None, **detail: Any) -> None:
    """One event about a toolbox; `detail` takes names and counts, never argument values."""
    audit.record(
        organization=toolbox.organization,
        action=action,
        surface=surface,
        outcome="ok",
        actor=actor,
        target=f"toolbox:{toolbox.pk}",
        detail={"toolbox": toolbox.name, "owner": toolbox.owner.user.email, **detail},
    )


def _store(toolbox: Toolbox) -> None:
    namesakes = Toolbox.objects.filter(owner=toolbox.owner, name=toolbox.name).exclude(pk=toolbox.pk)
    if namesakes.exists():
        raise ValidationError({"name": f"{toolbox.owner} has a toolbox of this name already. Choose another name."})
    toolbox.full_clean()
    if len(toolbox.skill) > MAX_SKILL:  # a TextField's own limit holds in forms alone
        raise ValidationError({"skill": f"Use at most {MAX_SKILL:,} characters."})
    toolbox.save()


def _lock_to_manage(toolbox: Toolbox, actor: Member | None) -> Toolbox:
    versions.bump(toolbox.organization)
    authority.require(actor, Permission.TOOLBOX_MANAGE, toolbox.organization)
    return lock(toolbox)
