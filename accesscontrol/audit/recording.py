"""Writing the audit trail."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

from accesscontrol.caller import Caller
from accesscontrol.exceptions import Refusal
from accesscontrol.models import ActorKind, AuditEvent, Member, Organization, Surface, User
from accesscontrol.request_id import Current, current


def record(
    *,
    organization: Organization,
    action: str,
    surface: Surface,
    outcome: str,
    actor: Member | None = None,
    client: str = "",
    target: str = "",
    connection: str = "",
    duration_ms: int | None = None,
    detail: Mapping[str, int | str | list[str]] | None = None,
) -> AuditEvent:
    """Adds one event, in the surrounding transaction. `detail` takes counts and names, never argument values.

    The event joins its organization's chain when that transaction commits, so that recording locks nothing before:
    what is recorded early in a long transaction keeps nobody else waiting, and no order of locks can be got wrong.
    Without `duration_ms` it is how long the request has taken so far; there is none outside a request.
    """
    serving = current()
    kind, operator = _kind_of(actor, surface, serving)
    return AuditEvent.objects.create(
        organization=organization,
        actor_kind=kind,
        operator=operator,
        action=action,
        surface=surface,
        outcome=outcome,
        actor=actor,
        client=client[:120],
        target=target[:300],
        connection=connection[:300],
        duration_ms=_elapsed_ms(serving) if duration_ms is None else duration_ms,
        request_id=serving.id,
        detail=dict(detail or {}),
    )


def _kind_of(actor: Member | None, surface: Surface, serving: Current) -> tuple[ActorKind, User | None]:
    """In the admin who acts without being a member is a superuser: a row of theirs says who it was."""
    if actor is not None:
        return ActorKind.MEMBER, None
    if surface != Surface.ADMIN:
        return ActorKind.SYSTEM, None
    user = getattr(serving.request, "user", None)
    return ActorKind.OPERATOR, User.objects.filter(pk=user.pk).first() if user is not None else None


def _elapsed_ms(serving: Current) -> int | None:
    return round(1000 * (perf_counter() - serving.started)) if serving.request is not None else None


@dataclass
class CallEntry:
    """One call as it goes on; whoever learns which account it uses, or how it ended, writes it here."""

    connection: str = ""
    outcome: str = "ok"
    detail: dict[str, int | str | list[str]] = field(default_factory=dict)


@contextmanager
def call(caller: Caller, *, action: str, target: str) -> Iterator[CallEntry]:
    """Records the call inside, however it ends: `ok`, a refusal's code, or `internal_error`."""
    entry = CallEntry()
    started = perf_counter()
    try:
        yield entry
    except Refusal as refusal:
        entry.outcome = refusal.code
        raise
    except BaseException:
        entry.outcome = "internal_error"
        raise
    finally:
        record(
            organization=caller.organization,
            action=action,
            surface=caller.surface,
            outcome=entry.outcome,
            actor=caller.member,
            client=caller.client,
            target=target,
            connection=entry.connection,
            duration_ms=round(1000 * (perf_counter() - started)),
            detail=entry.detail,
        )
