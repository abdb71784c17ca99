"""Changing a membership: every live grant ends in the same transaction as the member's suspension or removal.

Who may: the actor needs `member:manage`, and every permission that the member's role has, so that nobody ends the
access of somebody above them. A change without an actor comes from the command line or from a superuser of the server.

The transaction, in this order: the organization's row (its version), the member's row, the status, the grants, then
whoever takes part through `membership_ending`, and the audit event last. Issuing a token takes the member's row first,
too, so whichever commits second sees the other.
"""

from dataclasses import dataclass

from django.db import transaction

from accesscontrol import audit, versions
from accesscontrol.exceptions import Conflict, PermissionRequired
from accesscontrol.holdings import Holding, holdings_of
from accesscontrol.models import Grant, Member, Role, Surface
from accesscontrol.permissions import ORG_OWNER_SLUG, Permission
from accesscontrol.services import access_requests, authority, grants, notices, teams
from accesscontrol.services.roles import assert_may_give
from accesscontrol.signals import membership_changed, membership_ending

_MAY_BECOME = {
    Member.Status.SUSPENDED: {Member.Status.ACTIVE},
    Member.Status.REMOVED: {Member.Status.ACTIVE, Member.Status.SUSPENDED},
    Member.Status.ACTIVE: {Member.Status.SUSPENDED},
}
_VERBS = {
    Member.Status.SUSPENDED: "suspend",
    Member.Status.REMOVED: "remove",
    Member.Status.ACTIVE: "reinstate",
}


@dataclass(frozen=True, kw_only=True)
class Offboarding:
    """What a removal would end, and what stands in its way: shared things that need a new owner first."""

    live_grants: int
    clients: tuple[str, ...]
    holdings: tuple[Holding, ...]

    @property
    def shared(self) -> tuple[Holding, ...]:
        return tuple(holding for holding in self.holdings if holding.used_by)


def preview(member: Member) -> Offboarding:
    """What ends with this membership; changes nothing."""
    live = Grant.objects.filter(member=member, revoked_at__isnull=True)
    names = sorted(set(live.values_list("client_name", flat=True)))
    return Offboarding(live_grants=live.count(), clients=tuple(names), holdings=tuple(holdings_of(member)))


def suspend(*, member: Member, surface: Surface, actor: Member | None = None) -> Member:
    """Ends all access until the member is reinstated. Raises Conflict, PermissionRequired."""
    return _end(member, Member.Status.SUSPENDED, surface, actor)


@transaction.atomic
def remove(*, member: Member, surface: Surface, actor: Member | None = None, new_owner: Member | None = None) -> Member:
    """Ends all access for good.

    What others use of the member's passes to `new_owner`. Raises Conflict where there is such a thing and nobody to
    take it, and PermissionRequired.
    """
    if new_owner is not None and not _may_own(new_owner, member):
        raise Conflict("The new owner must be another active member of the same organization.")
    return _end(member, Member.Status.REMOVED, surface, actor, new_owner=new_owner)


@transaction.atomic
def reinstate(*, member: Member, surface: Surface, actor: Member | None = None) -> Member:
    """Lets a suspended member in again; no grant comes back. Raises Conflict, PermissionRequired."""
    locked = _locked(member, Member.Status.ACTIVE, actor)
    _store(locked, Member.Status.ACTIVE)
    _record("member.reinstate", locked, surface, actor)
    return locked


@transaction.atomic
def change_role(*, member: Member, role: Role, surface: Surface, actor: Member | None = None) -> Member:
    """Gives the member another role; what they reach follows with the commit.

    Raises PermissionRequired where the actor does not hold all that the role permits, and Conflict for the last Org
    Owner or a role of another organization.
    """
    versions.bump(member.organization, signal=membership_changed)
    locked = _lock(member)
    _assert_may_act(actor, locked)
    # Asked of the database: under the organization's lock, a role that was deleted a moment ago is seen to be gone.
    if not Role.objects.of(locked.organization).filter(pk=role.pk).exists():
        raise Conflict("Choose a role of the member's own organization.")
    if actor is not None:
        assert_may_give(actor, role)
    if role.slug != ORG_OWNER_SLUG and _is_last_owner(locked):
        raise Conflict(f"Cannot demote {locked.user.email}: an organization keeps at least one Org Owner.")
    before, locked.role = locked.role, role
    locked.save(update_fields=["role"])
    _record("member.change_role", locked, surface, actor, role=role.slug, previous_role=before.slug)
    notices.role_changed(locked, before=before)
    return locked


@transaction.atomic
def _end(
    member: Member,
    status: Member.Status,
    surface: Surface,
    actor: Member | None,
    *,
    new_owner: Member | None = None,
) -> Member:
    locked = _locked(member, status, actor)
    if status == Member.Status.REMOVED and new_owner is None:
        _refuse_orphans(locked)
    _store(locked, status)
    revoked = grants.revoke_all(locked.pk, reason=f"member {status}")
    if status == Member.Status.REMOVED:
        teams.leave_all(locked)
        access_requests.end_all(locked)
    membership_ending.send(
        sender=Member, member=locked, status=status, surface=surface, actor=actor, new_owner=new_owner
    )
    _record(f"member.{_VERBS[status]}", locked, surface, actor, grants_revoked=revoked)
    notices.access_ended(locked)
    return locked


def _locked(member: Member, status: Member.Status, actor: Member | None) -> Member:
    """The member, locked, and allowed to become `status`."""
    # The version first: its row lock puts all membership changes of an organization in one line, so two owners cannot
    # end each other's membership at once. Then the member, the lock that issuing a token takes too.
    versions.bump(member.organization, signal=membership_changed)
    locked = _lock(member)
    _assert_may_act(actor, locked)
    verb = _VERBS[status]
    if locked.status not in _MAY_BECOME[status]:
        raise Conflict(f"Cannot {verb} {locked.user.email}: the member is {locked.status}.")
    if status != Member.Status.ACTIVE and _is_last_owner(locked):
        raise Conflict(f"Cannot {verb} {locked.user.email}: an organization keeps at least one Org Owner.")
    return locked


def _refuse_orphans(member: Member) -> None:
    """Asked under the organization's lock, which sharing takes too: nothing is shared between this and the commit."""
    shared = [str(holding) for holding in holdings_of(member) if holding.used_by]
    if shared:
        raise Conflict(
            f"Cannot remove {member.user.email} yet: others use {', '.join(shared[:5])}. "
            "Name a new owner, or stop sharing it.",
            holdings=shared,
        )


def _lock(member: Member) -> Member:
    return (
        Member.objects.select_for_update(of=("self",), no_key=True)
        .select_related("user", "organization", "role")
        .get(pk=member.pk)
    )


def _assert_may_act(actor: Member | None, member: Member) -> None:
    current = authority.require(actor, Permission.MEMBER_MANAGE, member.organization)
    if current is None:
        return
    missing = sorted(set(member.role.permissions) - set(current.role.permissions))
    if missing:
        raise PermissionRequired(missing[0])


def _may_own(new_owner: Member, member: Member) -> bool:
    return (
        new_owner.pk != member.pk
        and new_owner.organization_id == member.organization_id
        and new_owner.status == Member.Status.ACTIVE
    )


def _is_last_owner(member: Member) -> bool:
    owners = Member.objects.of(member.organization).filter(role__slug=ORG_OWNER_SLUG, status=Member.Status.ACTIVE)
    return owners.filter(pk=member.pk).exists() and not owners.exclude(pk=member.pk).exists()


def _store(member: Member, status: Member.Status) -> None:
    member.status = status
    member.save(update_fields=["status"])


def _record(action: str, member: Member, surface: Surface, actor: Member | None, **detail: int | str) -> None:
    audit.record(
        organization=member.organization,
        action=action,
        surface=surface,
        outcome="ok",
        actor=actor,
        target=f"member:{member.pk}",
        detail={"member": member.user.email, **detail},
    )
