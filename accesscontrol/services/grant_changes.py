"""Changing what a grant lets its client do, without a new sign-in; it counts from the client's next call on.

Its owner may give it any scope and any toolboxes that they can use: it never gets beyond what they may do themselves,
and they could sign the client in anew. Everybody else (`token:manage`, the command line, a superuser of the server) may
only take away: nobody hands out what another person did not allow.
"""

from collections.abc import Collection
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accesscontrol import audit, versions
from accesscontrol.exceptions import Conflict, NotFound, PermissionRequired
from accesscontrol.models import AccessToken, Grant, Member, Surface
from accesscontrol.permissions import Permission, Scope
from accesscontrol.services import authority, grants
from accesscontrol.toolbox_choices import choices_for


class OnlyItsOwner(Conflict):
    def __init__(self) -> None:
        super().__init__("Only the person whom it acts for can let it do more. You can take away, or revoke it.")


class NothingLeft(Conflict):
    def __init__(self, what: str) -> None:
        super().__init__(f"Leave it at least one {what}, or end it.")


@transaction.atomic
def change(
    *,
    grant: Grant,
    scopes: Collection[Scope],
    toolboxes: Collection[UUID] | None,
    surface: Surface,
    actor: Member | None = None,
) -> Grant:
    """`toolboxes` None: all of the member's tools. Returns the grant as it is then.

    Raises NotFound where it has ended, MemberNotActive, PermissionRequired, OnlyItsOwner, NothingLeft, and Conflict for
    a toolbox that its owner cannot use.
    """
    versions.bump(grant.member.organization)
    owner = grants.lock_active(grant.member_id)
    is_owner = actor is not None and actor.pk == owner.pk
    if not is_owner:
        authority.require(actor, Permission.TOKEN_MANAGE, owner.organization)
    locked = Grant.objects.live(timezone.now()).filter(pk=grant.pk, member=owner).select_for_update(no_key=True).first()
    if locked is None:
        raise NotFound("grant")
    locked.member = owner
    _assert_allowed(locked, set(scopes), toolboxes, is_owner=is_owner)
    return _apply(locked, sorted(scopes), sorted(toolboxes or ()), surface, actor)


def _assert_allowed(grant: Grant, scopes: set[Scope], toolboxes: Collection[UUID] | None, *, is_owner: bool) -> None:
    if not scopes:
        raise NothingLeft("thing that it may do")
    if toolboxes is not None and not toolboxes:
        raise NothingLeft("toolbox")
    _assert_usable(grant, set(toolboxes or ()))
    if not _is_wider(grant, scopes, toolboxes):
        return
    if not is_owner:
        raise OnlyItsOwner
    if grant.kind == Grant.Kind.TOKEN and not grant.member.may(Permission.TOKEN_CREATE):
        raise PermissionRequired(Permission.TOKEN_CREATE)


def _assert_usable(grant: Grant, toolboxes: set[UUID]) -> None:
    """Those that it has may stay, also where they are out of reach for now."""
    new = toolboxes - set(grant.toolboxes)
    if new and not new <= {box.id for box in choices_for(grant.member)}:
        raise Conflict(f"{grant.member.user.email} can use no such toolbox. Choose among those on the page.")


def _is_wider(grant: Grant, scopes: set[Scope], toolboxes: Collection[UUID] | None) -> bool:
    confined = set(grant.toolboxes)
    return bool(scopes - set(grant.scopes)) or bool(confined and (toolboxes is None or not set(toolboxes) <= confined))


def _apply(grant: Grant, scopes: list[Scope], toolboxes: list[UUID], surface: Surface, actor: Member | None) -> Grant:
    before, now = set(grant.scopes), {scope.value for scope in scopes}
    if (before, set(grant.toolboxes)) == (now, set(toolboxes)):
        return grant
    _widen_tokens(grant, now)
    grant.scopes, grant.toolboxes = sorted(now), toolboxes
    grant.save(update_fields=["scopes", "toolboxes"])
    audit.record(
        organization=grant.member.organization,
        action="grant.change",
        surface=surface,
        outcome="ok",
        actor=actor,
        client=grant.client_name,
        target=f"grant:{grant.pk}",
        detail={
            "member": grant.member.user.email,
            "scopes": grant.scopes,
            "added": sorted(now - before),
            "removed": sorted(before - now),
            "toolboxes": [str(box) for box in toolboxes] or "all",
        },
    )
    return grant


def _widen_tokens(grant: Grant, scopes: set[str]) -> None:
    """A token that had all of its grant's scopes has them again; one that its client asked to be narrower stays so.

    What is taken away needs nothing here: of a token only what its grant still says is in force.
    """
    for token in AccessToken.objects.filter(grant=grant, scopes__contains=grant.scopes):
        token.scopes = sorted(scopes | set(token.scopes))
        token.save(update_fields=["scopes"])
