"""A person's account on this server, across the organizations they are a member of."""

from django.db import transaction

from accesscontrol import audit, versions
from accesscontrol.models import Member, Surface, User
from accesscontrol.services import grants
from accesscontrol.signals import membership_changed


@transaction.atomic
def deactivate(*, user: User, surface: Surface) -> int:
    """Closes the account: nobody signs in to it, and every live grant of its memberships ends with the same commit.

    The memberships stay as they are; opening the account again brings no grant back. Returns how many grants ended.
    """
    revoked = 0
    # In one order, so that two people whose accounts are closed at once do not wait for each other in a circle.
    for member in user.memberships.select_related("organization", "user").order_by("organization_id"):
        versions.bump(member.organization, signal=membership_changed)
        Member.objects.select_for_update(of=("self",), no_key=True).get(pk=member.pk)
        ended = grants.revoke_all(member.pk, reason="account closed")
        audit.record(
            organization=member.organization,
            action="member.close_account",
            surface=surface,
            outcome="ok",
            target=f"member:{member.pk}",
            detail={"member": user.email, "grants_revoked": ended},
        )
        revoked += ended
    User.objects.filter(pk=user.pk).update(is_active=False)
    user.is_active = False
    return revoked
