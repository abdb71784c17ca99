"""Issuing, checking and revoking grants."""

import hmac
from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accesscontrol import audit
from accesscontrol.bearer_secrets import digest, new_secret
from accesscontrol.caller import Caller
from accesscontrol.exceptions import GrantEnded, InvalidToken, MemberNotActive
from accesscontrol.models import Grant, Member, Surface
from accesscontrol.models.grant import GrantQuerySet
from accesscontrol.permissions import Scope

TOKEN_PREFIX = "elaichi_"
_USE_IS_NOTED_EVERY = timedelta(minutes=1)


@transaction.atomic
def issue_token(
    *,
    member: Member,
    client_name: str,
    scopes: Collection[Scope],
    surface: Surface,
    actor: Member | None = None,
    expires_at: datetime | None = None,
) -> tuple[Grant, str]:
    """A personal token, returned once beside its grant; only its SHA-256 is kept (256 random bits need no salt).

    Locks the member's row first, as suspending does: whichever commits second sees the other, so that no token is born
    after a revocation. Raises MemberNotActive.
    """
    locked = (
        Member.objects.select_for_update(of=("self",), no_key=True)
        .select_related("user", "organization")
        .get(pk=member.pk)
    )
    if locked.status != Member.Status.ACTIVE:
        raise MemberNotActive(locked.user.email)
    token = TOKEN_PREFIX + new_secret()
    grant = Grant(
        member=locked,
        kind=Grant.Kind.TOKEN,
        client_name=client_name,
        scopes=sorted(scopes),
        token_hash=digest(token),
        expires_at=expires_at,
    )
    grant.full_clean()
    grant.save()
    audit.record(
        organization=locked.organization,
        action="grant.issue",
        surface=surface,
        outcome="ok",
        actor=actor,
        target=f"grant:{grant.pk}",
        detail={"member": locked.user.email, "scopes": list(grant.scopes)},
    )
    return grant, token


def authenticate(token: str, *, now: datetime | None = None) -> Caller:
    """The caller behind a bearer token, in one query: grant, member, role and the organization's version together.

    Raises InvalidToken.
    """
    now = now or timezone.now()
    token_hash = digest(token)
    grant = _in_force(now).filter(token_hash=token_hash).first()
    if grant is None or not hmac.compare_digest(grant.token_hash or "", token_hash):
        _record_refusal(token_hash, now)
        raise InvalidToken
    _note_use(grant, now)
    return _caller(grant)


def renew(caller: Caller) -> Caller:
    """The caller as the database has it at this moment, in one query. Raises GrantEnded.

    Asked just before a request leaves: a member suspended while the call was running is refused there.
    """
    if caller.grant_id is None:
        return _renew_member(caller)
    grant = _in_force(timezone.now()).filter(pk=caller.grant_id).first()
    if grant is None:
        raise GrantEnded
    return _caller(grant)


def _in_force(now: datetime) -> GrantQuerySet:
    """Live grants of active members, with all that a caller is made of."""
    rows = Grant.objects.live(now).filter(member__status=Member.Status.ACTIVE, member__user__is_active=True)
    return rows.select_related("member__user", "member__role", "member__organization")


@transaction.atomic
def revoke(*, grant: Grant, reason: str, surface: Surface, actor: Member | None = None) -> bool:
    """Ends a grant; false where it had ended already."""
    member = grant.member
    ended = Grant.objects.filter(pk=grant.pk, revoked_at__isnull=True).update(
        revoked_at=timezone.now(), revoked_reason=reason
    )
    if ended:
        audit.record(
            organization=member.organization,
            action="grant.revoke",
            surface=surface,
            outcome="ok",
            actor=actor,
            target=f"grant:{grant.pk}",
            detail={"member": member.user.email, "reason": reason},
        )
    return bool(ended)


def revoke_all(member_id: UUID, *, reason: str) -> int:
    """Ends every live grant of a member, in one statement of the surrounding transaction."""
    return Grant.objects.filter(member_id=member_id, revoked_at__isnull=True).update(
        revoked_at=timezone.now(), revoked_reason=reason
    )


def _renew_member(caller: Caller) -> Caller:
    member = (
        Member.objects.filter(pk=caller.member.pk, status=Member.Status.ACTIVE, user__is_active=True)
        .select_related("user", "role", "organization")
        .first()
    )
    if member is None:
        raise GrantEnded
    return Caller(
        member=member,
        version=member.organization.version,
        scopes=caller.scopes,
        surface=caller.surface,
        client=caller.client,
    )


def _record_refusal(token_hash: str, now: datetime) -> None:
    """A token that was live once leaves a trace where its organization can see it; an unknown one belongs to nobody."""
    grant = Grant.objects.filter(token_hash=token_hash).select_related("member__organization").first()
    if grant is None:
        return
    expired = grant.expires_at is not None and grant.expires_at <= now
    outcome = "revoked" if grant.revoked_at else "expired" if expired else "member_not_active"
    audit.record(
        organization=grant.member.organization,
        action="grant.refused",
        surface=Surface.MCP,
        outcome=outcome,
        actor=grant.member,
        client=grant.client_name,
        target=f"grant:{grant.pk}",
    )


def _caller(grant: Grant) -> Caller:
    return Caller(
        member=grant.member,
        version=grant.member.organization.version,
        scopes=frozenset(Scope(scope) for scope in grant.scopes),
        surface=Surface.MCP,
        client=grant.client_name,
        grant_id=grant.pk,
    )


def _note_use(grant: Grant, now: datetime) -> None:
    # To the minute is enough for a person, and keeps a write out of nearly every request.
    if grant.last_used_at is None or now - grant.last_used_at >= _USE_IS_NOTED_EVERY:
        Grant.objects.filter(pk=grant.pk).update(last_used_at=now)
