"""Inviting people, and what happens when they accept.

The address of an invitation holds 256 random bits, of which only the hash is kept. It works for seven days, once, and
only for the e-mail address that it names: somebody who has an account here signs in to it first. Inviting somebody anew
ends the earlier invitation, so the newest address is the one that works.
"""

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accesscontrol import audit, versions
from accesscontrol.bearer_secrets import digest, new_secret
from accesscontrol.exceptions import Conflict
from accesscontrol.models import Invitation, Member, Organization, Role, Surface, User
from accesscontrol.permissions import Permission
from accesscontrol.services import authority, organizations
from accesscontrol.services.roles import assert_may_give
from accesscontrol.signals import membership_changed

LIFETIME = timedelta(days=7)


class InvitationOver(Conflict):
    """Unknown, used, withdrawn or expired: one message, so that nothing can be told apart."""

    def __init__(self) -> None:
        super().__init__("This invitation is no longer valid. Ask for a new one.")


@transaction.atomic
def invite(
    *, organization: Organization, email: str, role: Role, surface: Surface, actor: Member | None = None
) -> tuple[Invitation, str]:
    """An invitation and the address to hand to the person, shown once.

    Raises PermissionRequired where the actor may not manage members or does not hold all that the role permits,
    Conflict where the person is a member already, and ValidationError.
    """
    versions.bump(organization, signal=membership_changed)
    current = authority.require(actor, Permission.MEMBER_MANAGE, organization)
    if current is not None:
        assert_may_give(current, role)
    if role.organization_id != organization.pk:
        raise Conflict("Choose a role of the organization itself.")
    email = email.strip().lower()
    known = Member.objects.of(organization).filter(user__email=email).exclude(status=Member.Status.REMOVED).first()
    if known is not None:
        raise Conflict(f"{email} is a member already; the membership is {known.status}.")
    _end(Invitation.objects.of(organization).filter(email=email), "withdrawn")
    token = new_secret()
    invitation = Invitation(
        organization=organization,
        email=email,
        role=role,
        token_hash=digest(token),
        invited_by=actor,
        expires_at=timezone.now() + LIFETIME,
    )
    invitation.full_clean()
    invitation.save()
    _record("member.invite", invitation, surface, actor)
    return invitation, f"{settings.PUBLIC_URL}/join/{token}/"


@transaction.atomic
def withdraw(*, invitation: Invitation, surface: Surface, actor: Member | None = None) -> None:
    """Ends an open invitation. Raises PermissionRequired, and Conflict where it has ended already."""
    versions.bump(invitation.organization, signal=membership_changed)
    authority.require(actor, Permission.MEMBER_MANAGE, invitation.organization)
    if not _end(Invitation.objects.filter(pk=invitation.pk), "withdrawn"):
        raise Conflict(f"The invitation of {invitation.email} has ended already.")
    _record("member.withdraw_invitation", invitation, surface, actor)


def find(token: str) -> Invitation:
    """The open invitation behind an address. Raises InvitationOver."""
    found = (
        Invitation.objects.filter(token_hash=digest(token), ended_at__isnull=True, expires_at__gt=timezone.now())
        .select_related("organization", "role")
        .first()
    )
    if found is None:
        raise InvitationOver
    return found


@transaction.atomic
def accept(*, invitation: Invitation, user: User, surface: Surface) -> Member:
    """Makes the invited person a member, once, whichever of two submissions commits first.

    Somebody who was removed joins anew with the role of the invitation; no grant of before comes back. Raises
    InvitationOver, also for a user of another address.
    """
    organization = invitation.organization
    versions.bump(organization, signal=membership_changed)
    if user.email != invitation.email or not _end(Invitation.objects.filter(pk=invitation.pk), "accepted"):
        raise InvitationOver
    removed = Member.objects.of(organization).filter(user=user, status=Member.Status.REMOVED)
    if removed.update(status=Member.Status.ACTIVE, role=invitation.role):
        member = Member.objects.select_related("user", "role", "organization").get(organization=organization, user=user)
        _record("member.rejoin", invitation, surface, member)
        return member
    return organizations.join(organization=organization, user=user, role=invitation.role, surface=surface)


def _end(invitations: QuerySet[Invitation], outcome: str) -> int:
    return invitations.filter(ended_at__isnull=True).update(ended_at=timezone.now(), outcome=outcome)


def _record(action: str, invitation: Invitation, surface: Surface, actor: Member | None) -> None:
    audit.record(
        organization=invitation.organization,
        action=action,
        surface=surface,
        outcome="ok",
        actor=actor,
        target=f"invitation:{invitation.pk}",
        detail={"member": invitation.email, "role": invitation.role.slug},
    )
