"""Issuing, checking and revoking grants."""

import hmac
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accesscontrol import audit
from accesscontrol.bearer_secrets import digest, new_secret
from accesscontrol.caller import Caller
from accesscontrol.exceptions import GrantEnded, InvalidToken, MemberNotActive, PermissionRequired
from accesscontrol.models import AccessToken, AuthorizationCode, EndedSecret, Grant, Member, RefreshToken, Surface
from accesscontrol.models.grant import GrantQuerySet
from accesscontrol.oauth import addresses
from accesscontrol.permissions import Permission, Scope

TOKEN_PREFIX = "elaichi_"
ACCESS_TOKEN_PREFIX = "elaichi-access_"
"""Tells a signed-in client's token from a personal one, so that each is looked up where it can be, in one query."""
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
    needs: Permission | None = None,
) -> tuple[Grant, str]:
    """A personal token, returned once beside its grant; only its SHA-256 is kept (256 random bits need no salt).

    Locks the member's row first, as suspending does: whichever commits second sees the other, so that no token is born
    after a revocation. `needs` is what the member's own role has to permit, where they make it themselves. Raises
    MemberNotActive and PermissionRequired.
    """
    locked = lock_active(member.pk)
    if needs is not None and not locked.may(needs):
        raise PermissionRequired(needs)
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


def lock(member_id: UUID) -> Member:
    return (
        Member.objects.select_for_update(of=("self",), no_key=True)
        .select_related("user", "organization")
        .get(pk=member_id)
    )


def lock_active(member_id: UUID) -> Member:
    """The member's row, locked until the surrounding transaction ends. Raises MemberNotActive."""
    locked = lock(member_id)
    if locked.status != Member.Status.ACTIVE or not locked.user.is_active:
        raise MemberNotActive(locked.user.email)
    return locked


def authenticate(token: str, *, now: datetime | None = None) -> Caller:
    """The caller behind a bearer token, in one query: grant, member, role and the organization's version together.

    Raises InvalidToken.
    """
    now = now or timezone.now()
    token_hash = digest(token)
    if token.startswith(ACCESS_TOKEN_PREFIX):
        return _authenticate_client(token_hash, now)
    grant = _in_force(now).filter(token_hash=token_hash).first()
    if grant is None or not hmac.compare_digest(grant.token_hash or "", token_hash):
        _record_refusal(token_hash, now)
        raise InvalidToken
    _note_use(grant, now)
    return _caller(grant)


def _authenticate_client(token_hash: str, now: datetime) -> Caller:
    """As an access token says: within its grant, for us alone, until it expires."""
    row = (
        AccessToken.objects.filter(token_hash=token_hash, expires_at__gt=now, resource=addresses.resource())
        .filter(_grant_in_force(now, "grant__"))
        .select_related("grant__member__user", "grant__member__role", "grant__member__organization")
        .first()
    )
    if row is None:
        _record_client_refusal(token_hash, now)
        raise InvalidToken
    _note_use(row.grant, now)
    return _caller(row.grant, scopes=row.scopes)


def refuse_in_address(token: str) -> None:
    """A token in an address is in logs and histories by now: its organization is told, whatever is answered."""
    token_hash = digest(token)
    of_client = AccessToken.objects.filter(token_hash=token_hash).values("grant")
    grant = Grant.objects.filter(Q(token_hash=token_hash) | Q(pk__in=of_client)).first() or ended_with(token_hash)
    if grant is not None:
        _record_use_refused(grant, "token_in_address")


def renew(caller: Caller) -> Caller:
    """The caller as the database has it at this moment, in one query. Raises GrantEnded.

    Asked just before a request leaves: a member suspended while the call was running is refused there.
    """
    if caller.grant_id is None:
        return _renew_member(caller)
    grant = _in_force(timezone.now()).filter(pk=caller.grant_id).first()
    if grant is None:
        raise GrantEnded
    return _caller(grant, scopes=caller.scopes)


def _in_force(now: datetime) -> GrantQuerySet:
    """Live grants of active members, with all that a caller is made of."""
    rows = GrantQuerySet(Grant).filter(_grant_in_force(now))
    return rows.select_related("member__user", "member__role", "member__organization")


def _grant_in_force(now: datetime, path: str = "") -> Q:
    """`path` leads from the row that is asked to its grant."""
    unexpired = Q(**{f"{path}expires_at__isnull": True}) | Q(**{f"{path}expires_at__gt": now})
    return unexpired & Q(
        **{
            f"{path}revoked_at__isnull": True,
            f"{path}member__status": Member.Status.ACTIVE,
            f"{path}member__user__is_active": True,
        }
    )


@transaction.atomic
def revoke(*, grant: Grant, reason: str, surface: Surface, actor: Member | None = None) -> bool:
    """Ends a grant and deletes its tokens and code; false where it had ended already."""
    member = lock(grant.member_id)
    ended = Grant.objects.filter(pk=grant.pk, revoked_at__isnull=True).update(
        revoked_at=timezone.now(), revoked_reason=reason
    )
    if ended:
        _delete_credentials([grant.pk])
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
    """Ends every live grant of a member and deletes their tokens and codes, in the surrounding transaction.

    The member's row is locked by then.
    """
    _delete_credentials(Grant.objects.filter(member_id=member_id).values("pk"))
    return Grant.objects.filter(member_id=member_id, revoked_at__isnull=True).update(
        revoked_at=timezone.now(), revoked_reason=reason
    )


def _delete_credentials(grants: Any) -> None:
    """What opened something is gone; its digest stays with the grant, so that its organization hears of a later try."""
    for credential, secret in (
        (AuthorizationCode, "code_hash"),
        (RefreshToken, "token_hash"),
        (AccessToken, "token_hash"),
    ):
        rows = credential._default_manager.filter(grant__in=grants)
        ended = [EndedSecret(grant_id=grant, secret_hash=kept) for grant, kept in rows.values_list("grant", secret)]
        EndedSecret.objects.bulk_create(ended)
        rows.delete()


def ended_with(secret_hash: str) -> Grant | None:
    """The grant that this code or token ended with, where it was of one."""
    row = EndedSecret.objects.filter(secret_hash=secret_hash).select_related("grant__member__organization").first()
    return row.grant if row is not None else None


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
    _record_use_refused(grant, "revoked" if grant.revoked_at else "expired" if expired else "member_not_active")


def _record_client_refusal(token_hash: str, now: datetime) -> None:
    row = AccessToken.objects.filter(token_hash=token_hash).select_related("grant__member__organization").first()
    if row is None:
        ended = ended_with(token_hash)
        if ended is not None:
            _record_use_refused(ended, "revoked")
        return
    foreign = row.resource != addresses.resource()
    _record_use_refused(row.grant, "wrong_audience" if foreign else "expired" if row.expires_at <= now else "ended")


def _record_use_refused(grant: Grant, outcome: str) -> None:
    audit.record(
        organization=grant.member.organization,
        action="grant.refused",
        surface=Surface.MCP,
        outcome=outcome,
        actor=grant.member,
        client=grant.client_name,
        target=f"grant:{grant.pk}",
    )


def _caller(grant: Grant, scopes: Iterable[str] | None = None) -> Caller:
    """Never more than the grant says now, whatever its token said when it was made."""
    held = set(grant.scopes) if scopes is None else set(grant.scopes) & set(scopes)
    return Caller(
        member=grant.member,
        version=grant.member.organization.version,
        scopes=frozenset(Scope(scope) for scope in held),
        surface=Surface.MCP,
        client=grant.client_name,
        grant_id=grant.pk,
        toolboxes=frozenset(grant.toolboxes) or None,
        signed_in=grant.kind == Grant.Kind.OAUTH,
    )


def _note_use(grant: Grant, now: datetime) -> None:
    # To the minute is enough for a person, and keeps a write out of nearly every request.
    if grant.last_used_at is None or now - grant.last_used_at >= _USE_IS_NOTED_EVERY:
        Grant.objects.filter(pk=grant.pk).update(last_used_at=now)
