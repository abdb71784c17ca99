"""Grants of signed-in clients: consent, the exchange of its code, each refresh, and what a second use brings about.

All of them lock the member's row first, as suspending does: whichever commits second sees the other, so no token is
born after a revocation, and one grant's requests stand in one line. A code or refresh token that comes a second time
ends the whole grant, without a moment of grace: nobody can tell the thief's request from the client's.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accesscontrol import audit
from accesscontrol.bearer_secrets import digest, new_secret
from accesscontrol.exceptions import MemberNotActive
from accesscontrol.models import AccessToken, AuthorizationCode, Grant, Member, OAuthClient, RefreshToken, Surface
from accesscontrol.oauth import addresses
from accesscontrol.permissions import Scope
from accesscontrol.services import grants

CODE_LIFETIME = timedelta(seconds=60)
ACCESS_LIFETIME = timedelta(hours=1)
IDLE_LIFETIME = timedelta(days=60)
"""A client that has not refreshed for so long has to ask again."""
REFRESH_TOKEN_PREFIX = "elaichi-refresh_"

type Presented = AuthorizationCode | RefreshToken


@dataclass(frozen=True, kw_only=True)
class Consent:
    """What a member allowed a client. `toolboxes` empty: all of the member's tools."""

    member: Member
    client: OAuthClient
    scopes: Collection[Scope]
    redirect_uri: str
    code_challenge: str
    toolboxes: Collection[UUID] = ()


@dataclass(frozen=True, kw_only=True)
class TokenPair:
    access: str
    refresh: str


def new_access_token(request: object = None) -> str:
    return grants.ACCESS_TOKEN_PREFIX + new_secret()


def new_refresh_token(request: object = None) -> str:
    return REFRESH_TOKEN_PREFIX + new_secret()


@transaction.atomic
def consent(given: Consent) -> tuple[Grant, str]:
    """The grant, and the code that its client exchanges for tokens within a minute. Raises MemberNotActive."""
    member = grants.lock_active(given.member.pk)
    now = timezone.now()
    grant = Grant(
        member=member,
        kind=Grant.Kind.OAUTH,
        client=given.client,
        client_name=client_name(given.client),
        scopes=sorted(given.scopes),
        toolboxes=sorted(given.toolboxes),
        expires_at=now + IDLE_LIFETIME,
    )
    grant.full_clean(validate_constraints=False)
    grant.save()
    code = new_secret()
    AuthorizationCode.objects.create(
        grant=grant,
        code_hash=digest(code),
        redirect_uri=given.redirect_uri,
        code_challenge=given.code_challenge,
        resource=addresses.resource(),
        expires_at=now + CODE_LIFETIME,
    )
    _record(
        "grant.create", grant, "ok", actor=member, scopes=list(grant.scopes), client_id=given.client.client_id[:200]
    )
    return grant, code


def client_name(client: OAuthClient) -> str:
    return (client.name or client.client_id)[:120]


@transaction.atomic
def present_code(*, code: str, client: OAuthClient, now: datetime | None = None) -> AuthorizationCode | None:
    """The code with its grant, locked, if it may be exchanged; a second use ends the grant."""
    row = AuthorizationCode.objects.filter(code_hash=digest(code)).select_related("grant").first()
    if row is None:
        _refuse_ended(code)
        return None
    member = grants.lock(row.grant.member_id)
    row = _again(AuthorizationCode.objects.filter(pk=row.pk).select_related("grant__client").first(), member)
    if row is None:
        return None
    expired = row.expires_at <= (now or timezone.now())
    return row if _may_be_used(row, client, member, expired=expired, reuse="grant.code_reuse") else None


@transaction.atomic
def present_refresh(*, token: str, client: OAuthClient, now: datetime | None = None) -> RefreshToken | None:
    """The refresh token with its grant, locked, if it may be used; a second use ends the grant."""
    row = RefreshToken.objects.filter(token_hash=digest(token)).select_related("grant").first()
    if row is None:
        _refuse_ended(token)
        return None
    member = grants.lock(row.grant.member_id)
    row = _again(RefreshToken.objects.filter(pk=row.pk).select_related("grant__client").first(), member)
    if row is None:
        return None
    ends = row.grant.expires_at
    expired = ends is not None and ends <= (now or timezone.now())
    return row if _may_be_used(row, client, member, expired=expired, reuse="grant.refresh_reuse") else None


@transaction.atomic
def issue(presented: Presented, *, pair: TokenPair, scopes: Collection[str], now: datetime | None = None) -> None:
    """Uses up what was presented, in the transaction that presented it. Earlier access tokens end with it."""
    now = now or timezone.now()
    grant = presented.grant
    presented.used_at = now
    presented.save(update_fields=["used_at"])
    AccessToken.objects.filter(grant=grant).delete()
    AccessToken.objects.create(
        grant=grant,
        token_hash=digest(pair.access),
        scopes=sorted(scopes),
        resource=presented.resource,
        expires_at=now + ACCESS_LIFETIME,
    )
    RefreshToken.objects.create(grant=grant, token_hash=digest(pair.refresh), resource=presented.resource)
    Grant.objects.filter(pk=grant.pk).update(expires_at=now + IDLE_LIFETIME)


@transaction.atomic
def end(*, token: str, client: OAuthClient) -> bool:
    """Ends the grant of either kind of token, if it is this client's; false where there is no such token."""
    for kind in (AccessToken, RefreshToken):
        row = kind.objects.filter(token_hash=digest(token), grant__client=client).select_related("grant").first()
        if row is not None:
            return grants.revoke(grant=row.grant, reason="given back by the client", surface=Surface.API)
    return False


def refused(grant: Grant, outcome: str) -> None:
    """A request that held a real code or token and was refused leaves a trace where its organization can see it."""
    _record("grant.refused", grant, outcome)


def refused_at_consent(member: Member, client: str, outcome: str) -> None:
    audit.record(
        organization=member.organization,
        action="grant.refused",
        surface=Surface.API,
        outcome=outcome,
        actor=member,
        client=client,
    )


def _refuse_ended(secret: str) -> None:
    grant = grants.ended_with(digest(secret))
    if grant is not None:
        refused(grant, "revoked")


def _again[RowT: Presented](row: RowT | None, member: Member) -> RowT | None:
    """Read once more under the lock; the locked member stands in for the one read before."""
    if row is not None:
        row.grant.member = member
    return row


def _may_be_used(row: Presented, client: OAuthClient, member: Member, *, expired: bool, reuse: str) -> bool:
    grant = row.grant
    if grant.client_id != client.pk:
        refused(grant, "wrong_client")
    elif row.used_at is not None:
        _record(reuse, grant, "refused")
        grants.revoke(grant=grant, reason="a code or token was used twice", surface=Surface.API)
    elif grant.revoked_at is not None or expired:
        refused(grant, "revoked" if grant.revoked_at else "expired")
    elif member.status != Member.Status.ACTIVE or not member.user.is_active:
        refused(grant, MemberNotActive.code)
    else:
        return True
    return False


def _record(action: str, grant: Grant, outcome: str, *, actor: Member | None = None, **detail: str | list[str]) -> None:
    audit.record(
        organization=grant.member.organization,
        action=action,
        surface=Surface.API,
        outcome=outcome,
        actor=actor,
        client=grant.client_name,
        target=f"grant:{grant.pk}",
        detail={"member": grant.member.user.email, **detail},
    )
