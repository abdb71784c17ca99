"""Writing the audit trail."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

from accesscontrol.caller import Caller
from accesscontrol.exceptions import Refusal
from accesscontrol.models import AuditEvent, Member, Organization, Surface
from accesscontrol.request_id import current_request_id


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
    """Adds one event, in the surrounding transaction. `detail` takes counts and names, never argument values."""
    return AuditEvent.objects.create(
        organization=organization,
        action=action,
        surface=surface,
        outcome=outcome,
        actor=actor,
        client=client[:120],
        target=target[:300],
        connection=connection[:300],
        duration_ms=duration_ms,
        request_id=current_request_id(),
        detail=dict(detail or {}),
    )


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
    except Exception:
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
