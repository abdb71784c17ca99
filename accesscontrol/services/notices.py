"""Who is told of what by mail. Rows are written in the transaction of the change; one task for all of them sends them.

A mail passes servers that are not ours. So it says what happened, in which organization, and where to act: never a
rule, its author, a reason, an argument or a secret.
"""

import re
from collections.abc import Iterable
from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from accesscontrol import dispatch
from accesscontrol.models import AccessRequest, Member, Notice, Organization, Role
from accesscontrol.models.notice import MAX_SUBJECT
from accesscontrol.permissions import Permission
from accesscontrol.tasks import send_notices

MAX_ASKS = 20
"""Requests of one member in an hour that administrators are told of; the others stand in the admin."""
_PLAIN_NAME = re.compile(r"[\w.-]+")


def access_requested(request: AccessRequest) -> None:
    """Tells every administrator who may answer."""
    home, asker = request.member.organization, request.member
    hour_ago = timezone.now() - timedelta(hours=1)
    if AccessRequest.objects.filter(member=asker, created_at__gt=hour_ago).count() > MAX_ASKS:
        return
    _add(
        home,
        _active(home).filter(role__permissions__contains=[Permission.RESTRICTION_MANAGE]).exclude(pk=asker.pk),
        Notice.Kind.ACCESS_REQUESTED,
        f"access to {_target(request)} is asked for",
        f"{asker.user.email} asks for access to {_target(request)} in {home.name}.",
        f"Approve or deny it: {_page('accesscontrol_accessrequest_change', request.pk)}",
    )


def access_answered(request: AccessRequest) -> None:
    home, what = request.member.organization, _target(request)
    if request.state == AccessRequest.State.APPROVED:
        answer, next_step = "approved", "You can use it now; there is nothing else to do."
    else:
        answer, next_step = "denied", "Ask your client for your access requests to see the answer."
    _add(
        home,
        _active(home).filter(pk=request.member.pk),
        Notice.Kind.ACCESS_ANSWERED,
        f"your request for {what} was {answer}",
        f"Your request for access to {what} in {home.name} was {answer}.",
        next_step,
    )


def access_ended(member: Member) -> None:
    """Tells a member who was suspended or removed; the only notice that reaches somebody who is not active."""
    home, what = member.organization, "suspended" if member.status == Member.Status.SUSPENDED else "ended"
    _add(
        home,
        [member],
        Notice.Kind.ACCESS_ENDED,
        f"your access was {what}",
        f"Your access to {home.name} was {what}. Clients that you had connected are signed out.",
        f"If you think this is a mistake, talk to an administrator of {home.name}.",
    )


def role_changed(member: Member, *, before: Role) -> None:
    home = member.organization
    if before.pk == member.role_id:
        return
    _add(
        home,
        _active(home).filter(pk=member.pk),
        Notice.Kind.ROLE_CHANGED,
        f"your role is {member.role.label} now",
        f"Your role in {home.name} is {member.role.label} now; it was {before.label}.",
        "Your clients follow by themselves. If something is missing, talk to an administrator.",
    )


def needs_reauth(organization: Organization, app: str, *, owners: Iterable[UUID]) -> None:
    """Tells the owners of accounts at this app, once each, that they have to connect them again."""
    _add(
        organization,
        _active(organization).filter(pk__in=owners),
        Notice.Kind.NEEDS_REAUTH,
        f"connect {app} again",
        f"The address of {app} in {organization.name} has changed, so your account there is not used any more.",
        f"If the new address is right, connect it again: {_page('connectors_connection_changelist')}",
    )


def sign_in_ended(organization: Organization, app: str, *, owner: UUID) -> None:
    """Tells the owner of an account that the product does not let it be used any longer."""
    _add(
        organization,
        _active(organization).filter(pk=owner),
        Notice.Kind.NEEDS_REAUTH,
        f"connect {app} again",
        f"The sign-in of your account at {app} in {organization.name} has ended, so it is not used any more.",
        f"Connect it again: {_page('connectors_connection_changelist')}",
    )


def account_received(organization: Organization, app: str, *, owner: UUID) -> None:
    """Tells a member that an account of somebody else's is theirs now."""
    _add(
        organization,
        _active(organization).filter(pk=owner),
        Notice.Kind.ACCOUNT_RECEIVED,
        f"an account at {app} is yours now",
        f"An account at {app} in {organization.name} has passed to you. Whom it is shared with is yours to decide now.",
        f"See and change it: {_page('connectors_connection_changelist')}",
    )


def account_ended(organization: Organization, app: str, *, members: Iterable[UUID]) -> None:
    """Tells those with whom an account was shared that it is gone."""
    _add(
        organization,
        _active(organization).filter(pk__in=members),
        Notice.Kind.ACCOUNT_ENDED,
        f"an account at {app} is gone",
        f"An account at {app} in {organization.name} that was shared with you was deleted.",
        f"If you still need {app}, connect an account of your own, or ask for another to be shared with you.",
    )


def tools_stopped(organization: Organization, app: str, *, owners: Iterable[UUID]) -> None:
    """Tells the owners of toolboxes that some of their frozen tools have lost an account."""
    _add(
        organization,
        _active(organization).filter(pk__in=owners),
        Notice.Kind.TOOLS_STOPPED,
        f"tools of {app} in your toolbox have lost an account",
        f"Tools of {app} in a toolbox of yours in {organization.name} ran through an account that they lost.",
        "Pin them to another account, or take them out of it; your client lists your toolboxes.",
    )


def _active(organization: Organization) -> QuerySet[Member]:
    return Member.objects.of(organization).filter(status=Member.Status.ACTIVE, user__is_active=True)


def _target(request: AccessRequest) -> str:
    """Names come from who asks, and are no place to write to administrators in."""
    return request.target if _PLAIN_NAME.fullmatch(request.target) else "an app"


def _page(name: str, *args: object) -> str:
    return f"{settings.PUBLIC_URL}{reverse(f'admin:{name}', args=args)}"


def _add(organization: Organization, members: Iterable[Member], kind: Notice.Kind, about: str, *lines: str) -> None:
    """One statement, however many are told."""
    subject = " ".join(f"{organization.name}: {about}".split())[:MAX_SUBJECT]
    body = "\n\n".join(lines) + "\n"
    rows = [Notice(organization=organization, member=to, kind=kind, subject=subject, body=body) for to in members]
    if rows:
        Notice.objects.bulk_create(rows)
        _send_on_commit()


def _send_on_commit() -> None:
    if not any(waiting is _start for _, waiting, _ in transaction.get_connection().run_on_commit):
        transaction.on_commit(_start, robust=True)


def _start() -> None:
    dispatch.start(send_notices)
