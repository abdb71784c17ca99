"""The chain, recomputed apart from the database that made it: a row's canonical form, and what breaks a chain.

The canonical form of a row is its fields in the order of `canonical`, each as `length:value` (the length in bytes of
UTF-8) or `-` where it is null, one after another; its hash is the SHA-256 of that. The hash of the row before is one
of the fields, so no row can change, go or come without changing every hash after it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import sha256
from uuid import UUID

VERSION = "elaichi-audit-1"
GENESIS = bytes(32)
"""What stands as the hash before the first row."""


@dataclass(frozen=True, kw_only=True)
class Event:
    """An audit row as it is stored; `detail` is the text that PostgreSQL prints for it."""

    organization_id: UUID
    id: UUID
    at: datetime
    actor_kind: str
    actor_id: UUID | None
    operator_id: UUID | None
    surface: str
    client: str
    action: str
    target: str
    connection: str
    outcome: str
    duration_ms: int | None
    request_id: str
    detail: str


@dataclass(frozen=True, kw_only=True)
class Link:
    """A place in the chain; `event` is None where only the link is left."""

    sequence: int
    previous_hash: bytes
    hash: bytes
    event_id: UUID
    event: Event | None


@dataclass(frozen=True)
class Mark:
    """A place and the hash there: the head of a chain, the last row before its beginning, or one noted elsewhere."""

    sequence: int
    hash: bytes

    def __str__(self) -> str:
        return f"{self.sequence}:{self.hash.hex()}"


START = Mark(0, GENESIS)


class Break(StrEnum):
    """In which way a chain is not whole."""

    ALTERED = "altered"
    REMOVED = "removed"
    INSERTED = "inserted"
    CUT_OFF = "cut_off"
    REWRITTEN = "rewritten"


@dataclass(frozen=True)
class Problem:
    """The first place where a chain is not whole."""

    kind: Break
    sequence: int
    event_id: UUID | None
    message: str


def canonical(link: Link, event: Event) -> bytes:
    at = event.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return b"".join(
        _field(value)
        for value in (
            VERSION,
            link.sequence,
            link.previous_hash.hex(),
            event.organization_id,
            event.id,
            at,
            event.actor_kind,
            event.actor_id,
            event.operator_id,
            event.surface,
            event.client,
            event.action,
            event.target,
            event.connection,
            event.outcome,
            event.duration_ms,
            event.request_id,
            event.detail,
        )
    )


def _field(value: object) -> bytes:
    if value is None:
        return b"-"
    encoded = str(value).encode()
    return b"%d:%s" % (len(encoded), encoded)


def first_problem(links: Iterable[Link], *, after: Mark, head: Mark, noted: Mark | None = None) -> Problem | None:
    """Follows the chain from `after` to `head`, holding one row at a time; None where it is whole.

    `noted` is a place that somebody wrote down earlier, outside of the database.
    """
    last = after
    if problem := _problem_against(noted, after):
        return problem
    for link in links:
        if problem := _problem_of(link, last) or _problem_against(noted, Mark(link.sequence, link.hash)):
            return problem
        last = Mark(link.sequence, link.hash)
    if last.sequence < head.sequence:
        message = f"The trail ends at row {last.sequence}, and row {head.sequence} was its last: the rest was cut off."
        return Problem(Break.CUT_OFF, last.sequence + 1, None, message)
    if last != head:
        message = f"The trail ends at row {last.sequence}, which is not the end that was recorded: it was rewritten."
        return Problem(Break.REWRITTEN, last.sequence, None, message)
    if noted is not None and noted.sequence > last.sequence:
        message = f"The trail ends at row {last.sequence}, and row {noted.sequence} was noted: the rest was cut off."
        return Problem(Break.CUT_OFF, last.sequence + 1, None, message)
    return None


def _problem_of(link: Link, last: Mark) -> Problem | None:
    row = f"Row {link.sequence}"
    if link.sequence > last.sequence + 1:
        missing = last.sequence + 1
        said = f"Row {missing} is" if link.sequence == missing + 1 else f"Rows {missing} to {link.sequence - 1} are"
        return Problem(Break.REMOVED, missing, None, f"{said} missing.")
    if link.sequence < last.sequence + 1:
        return Problem(Break.INSERTED, link.sequence, link.event_id, f"{row} stands before the beginning of the trail.")
    if link.event is None:
        return Problem(Break.REMOVED, link.sequence, link.event_id, f"{row} was removed; only its link is left.")
    if link.previous_hash != last.hash:
        message = f"{row} does not follow from row {last.sequence}: one of the two was rewritten or put in between."
        return Problem(Break.REWRITTEN, link.sequence, link.event_id, message)
    if sha256(canonical(link, link.event)).digest() != link.hash:
        return Problem(Break.ALTERED, link.sequence, link.event_id, f"{row} was altered.")
    return None


def _problem_against(noted: Mark | None, found: Mark) -> Problem | None:
    if noted is None or noted.sequence != found.sequence or noted.hash == found.hash:
        return None
    message = f"Row {found.sequence} is not the one that was noted: the trail was rewritten at or before it."
    return Problem(Break.REWRITTEN, found.sequence, None, message)
