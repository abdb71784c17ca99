"""Asking for what a rule withholds, and the answers.

A member asks for a tool, or for a whole connector, that is restricted for them; asking again adds to the request that
is open already. An administrator other than the asker approves or denies it. Approving gives the asker an exemption,
which lifts what the rules for their role deny for what it names; a rule for the asker in person stands above it. An
exemption names its tool as rules do, so it outlives an import, and ends when it is revoked or the membership ends.

Locks, in this order: the organization's row where an administrator acts, the asker's row, the request. So of an answer,
a withdrawal, a further ask and the asker's removal that meet, each sees what the one before it left.
"""

from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from accesscontrol import audit, catalog_names, resolver, versions
from accesscontrol.exceptions import Conflict, MemberNotActive, NotFound, Refusal
from accesscontrol.models import AccessRequest, Exemption, Member, Organization, Surface
from accesscontrol.models.access_request import target_of
from accesscontrol.permissions import Permission
from accesscontrol.policy import Decision, Layer, Scope
from accesscontrol.services import authority, notices
from accesscontrol.signals import restrictions_changed

MAX_OPEN = 100
"""Open requests of one member; who needs more needs another rule."""


class NotRestricted(Conflict):
    """There is nothing to ask for."""

    def __init__(self, target: str) -> None:
        super().__init__(
            f"{target} is not restricted for you, so there is nothing to ask for. If one tool of it is, name that tool."
        )


class OwnRequest(Conflict):
    """Nobody answers what they asked for themselves."""

    def __init__(self) -> None:
        super().__init__("This is your own request: another administrator has to answer it. You can withdraw it.")


class NotLiftable(Conflict):
    """An exemption would not open what was asked for."""


@transaction.atomic
def ask(
    *, member: Member, connector: str, tool: str = "", reason: str = "", surface: Surface, client: str = ""
) -> AccessRequest:
    """The member's open request for this, new or asked once more; a reason given replaces an earlier one.

    Raises NotRestricted, Conflict with too many open, MemberNotActive, ValidationError.
    """
    asker = _active(member)
    if _decision(asker, connector, tool).allowed:
        raise NotRestricted(target_of(connector, tool))
    request = _fold(AccessRequest(member=asker, connector=connector, tool=tool, reason=reason))
    verb = "create" if request.times_asked == 1 else "repeat"
    _record(f"access_request.{verb}", request, surface, asker, client=client, times_asked=request.times_asked)
    if request.times_asked == 1:
        notices.access_requested(request)
    return request


@transaction.atomic
def withdraw(*, member: Member, request_id: UUID, surface: Surface, client: str = "") -> AccessRequest:
    """Raises NotFound for what is not the member's own, Conflict where it is not open, MemberNotActive."""
    asker = _active(member)
    request = AccessRequest.objects.filter(member=asker, pk=request_id).first()
    if request is None:
        raise NotFound("access request")
    _close(request, AccessRequest.State.WITHDRAWN, by=asker)
    _record("access_request.withdraw", request, surface, asker, client=client)
    return request


def obstacle(request: AccessRequest) -> Refusal | None:
    """What stands in the way of approving the request at this moment, as `approve` would raise it."""
    if request.member.status != Member.Status.ACTIVE:
        return MemberNotActive(request.member.user.email)
    decision = _decision(request.member, request.connector, request.tool)
    if decision.allowed:
        return NotLiftable(
            f"Nothing restricts {request.target} for {request.member} any more, so there is nothing to approve. "
            "Deny the request, and say so in the answer."
        )
    if decision.layer is Layer.USER:
        what = "this tool" if decision.scope is Scope.TOOL and request.tool else "the whole app"
        return NotLiftable(
            f"A rule for {request.member} in person restricts {what}. Approving lifts only what the rules for their "
            "role deny: change or lift that rule first, or deny the request.",
            by=decision.layer,
            scope=decision.scope,
        )
    return None


@transaction.atomic
def approve(*, request: AccessRequest, answer: str = "", surface: Surface, actor: Member | None = None) -> Exemption:
    """Gives the asker an exemption; requests that begin after the commit reach what it names.

    Raises NotLiftable where a rule for the asker in person denies it, or nothing does any more; Conflict where it is
    not open, OwnRequest, PermissionRequired, MemberNotActive, ValidationError.
    """
    versions.bump(request.member.organization, signal=restrictions_changed)
    locked = _locked_for_answer(request, actor)
    if refusal := obstacle(locked):
        raise refusal
    _close(locked, AccessRequest.State.APPROVED, by=actor, answer=answer)
    exemption = Exemption(member=locked.member, request=locked, connector=locked.connector, tool=locked.tool)
    exemption.full_clean()
    exemption.save()
    _record("access_request.approve", locked, surface, actor)
    notices.access_answered(locked)
    return exemption


@transaction.atomic
def deny(*, request: AccessRequest, answer: str = "", surface: Surface, actor: Member | None = None) -> AccessRequest:
    """Raises Conflict where it is not open, OwnRequest, PermissionRequired, MemberNotActive, ValidationError."""
    # Nobody reaches more or less, so the row is locked without a new version.
    Organization.objects.select_for_update(no_key=True).get(pk=request.member.organization_id)
    locked = _locked_for_answer(request, actor)
    _close(locked, AccessRequest.State.DENIED, by=actor, answer=answer)
    _record("access_request.deny", locked, surface, actor)
    notices.access_answered(locked)
    return locked


@transaction.atomic
def revoke(*, exemption: Exemption, surface: Surface, actor: Member | None = None) -> bool:
    """Ends an exemption; false where it had ended already. Raises PermissionRequired, MemberNotActive."""
    organization = exemption.member.organization
    versions.bump(organization, signal=restrictions_changed)
    authority.require(actor, Permission.RESTRICTION_MANAGE, organization)
    ended = Exemption.objects.live().filter(pk=exemption.pk).update(revoked_at=timezone.now(), revoked_by=actor)
    if ended:
        _record("exemption.revoke", exemption.request, surface, actor)
    return bool(ended)


def end_all(member: Member) -> None:
    """Withdraws what a member asked for and ends their exemptions, in the transaction that removes them."""
    now = timezone.now()
    AccessRequest.objects.open().filter(member=member).update(state=AccessRequest.State.WITHDRAWN, resolved_at=now)
    Exemption.objects.live().filter(member=member).update(revoked_at=now)


def _active(member: Member) -> Member:
    """Locked as suspending locks it, so that nothing is asked by somebody whose membership just ended."""
    locked = _locked(member)
    if locked.status != Member.Status.ACTIVE:
        raise MemberNotActive(locked.user.email)
    return locked


def _locked(member: Member) -> Member:
    rows = Member.objects.select_for_update(of=("self",), no_key=True)
    return rows.select_related("organization", "user", "role").get(pk=member.pk)


def _fold(asked: AccessRequest) -> AccessRequest:
    """Adds the request where none is open for the same, and counts the ask on the one that is."""
    asked.clean_fields()
    opened = AccessRequest.objects.open().filter(member=asked.member)
    same = opened.filter(connector=asked.connector, tool=asked.tool)
    if not same.exists() and opened.count() >= MAX_OPEN:
        raise Conflict(f"You have {MAX_OPEN} open requests. Withdraw some, or talk to an administrator.")
    # ON CONFLICT DO NOTHING, over the index that lets one be open.
    AccessRequest.objects.bulk_create([asked], ignore_conflicts=True)
    reason = {"reason": asked.reason} if asked.reason else {}
    same.update(times_asked=F("times_asked") + 1, last_asked_at=timezone.now(), **reason)
    return same.select_related("member__organization", "member__user").get()


def _locked_for_answer(request: AccessRequest, actor: Member | None) -> AccessRequest:
    acting = authority.require(actor, Permission.RESTRICTION_MANAGE, request.member.organization)
    asker = _locked(request.member)
    if acting is not None and acting.pk == asker.pk:
        raise OwnRequest
    locked = AccessRequest.objects.get(pk=request.pk)
    locked.member = asker
    return locked


def _decision(member: Member, connector: str, tool: str) -> Decision:
    """For all of a connector the question is what holds for a tool of it that no rule and no exemption names."""
    return resolver.load(member).decide(catalog_names.ref(member.organization, connector, tool))


def _close(request: AccessRequest, state: AccessRequest.State, *, by: Member | None, answer: str = "") -> None:
    if request.state != AccessRequest.State.OPEN:
        raise Conflict(f"This request is {request.get_state_display().lower()} already.")
    request.state = state
    request.resolved_at = timezone.now()
    request.resolved_by = by
    request.answer = answer
    request.clean_fields()
    request.save(update_fields=["state", "resolved_at", "resolved_by", "answer"])


def _record(
    action: str, request: AccessRequest, surface: Surface, actor: Member | None, *, client: str = "", **detail: int
) -> None:
    audit.record(
        organization=request.member.organization,
        action=action,
        surface=surface,
        outcome="ok",
        actor=actor,
        client=client,
        target=f"access_request:{request.pk}",
        detail={"member": request.member.user.email, "for": request.target, **detail},
    )
