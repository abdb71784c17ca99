"""Changing a membership: every live grant ends in the same transaction as the member's suspension or removal."""

from django.db import transaction

from accesscontrol import audit, versions
from accesscontrol.exceptions import Conflict
from accesscontrol.models import Member, Surface
from accesscontrol.permissions import ORG_OWNER_SLUG
from accesscontrol.services import grants


def suspend(*, member: Member, surface: Surface, actor: Member | None = None) -> Member:
    """Ends all access until the member is reinstated. Raises Conflict where the member is not active."""
    return _end(member, Member.Status.SUSPENDED, {Member.Status.ACTIVE}, surface, actor)


def remove(*, member: Member, surface: Surface, actor: Member | None = None) -> Member:
    """Ends all access for good. Raises Conflict where the member was removed already."""
    return _end(member, Member.Status.REMOVED, {Member.Status.ACTIVE, Member.Status.SUSPENDED}, surface, actor)


@transaction.atomic
def reinstate(*, member: Member, surface: Surface, actor: Member | None = None) -> Member:
    """Lets a suspended member in again; no grant comes back. Raises Conflict where the member is not suspended."""
    locked = _locked(member, {Member.Status.SUSPENDED}, "reinstate")
    _store(locked, Member.Status.ACTIVE)
    _record("member.reinstate", locked, surface, actor, revoked=0)
    return locked


@transaction.atomic
def _end(
    member: Member, status: Member.Status, before: set[Member.Status], surface: Surface, actor: Member | None
) -> Member:
    verb = "suspend" if status == Member.Status.SUSPENDED else "remove"
    locked = _locked(member, before, verb)
    _store(locked, status)
    revoked = grants.revoke_all(locked.pk, reason=f"member {status}")
    _record(f"member.{verb}", locked, surface, actor, revoked=revoked)
    return locked


def _locked(member: Member, before: set[Member.Status], verb: str) -> Member:
    # The version first: its row lock puts all membership changes of an organization in one line, so two owners cannot
    # end each other's membership at once. Then the member, the lock that issuing a token takes too.
    versions.bump(member.organization)
    locked = (
        Member.objects.select_for_update(of=("self",), no_key=True)
        .select_related("user", "organization", "role")
        .get(pk=member.pk)
    )
    if locked.status not in before:
        raise Conflict(f"Cannot {verb} {locked.user.email}: the member is {locked.status}.")
    if verb != "reinstate" and _is_last_owner(locked):
        raise Conflict(f"Cannot {verb} {locked.user.email}: an organization keeps at least one Org Owner.")
    return locked


def _is_last_owner(member: Member) -> bool:
    owners = Member.objects.of(member.organization).filter(role__slug=ORG_OWNER_SLUG, status=Member.Status.ACTIVE)
    return owners.filter(pk=member.pk).exists() and not owners.exclude(pk=member.pk).exists()


def _store(member: Member, status: Member.Status) -> None:
    member.status = status
    member.save(update_fields=["status"])


def _record(action: str, member: Member, surface: Surface, actor: Member | None, *, revoked: int) -> None:
    audit.record(
        organization=member.organization,
        action=action,
        surface=surface,
        outcome="ok",
        actor=actor,
        target=f"member:{member.pk}",
        detail={"member": member.user.email, "grants_revoked": revoked},
    )
