"""One limit on the time of a whole call, kept wherever the call waits.

HTTP libraries limit single reads, so an upstream that sends a byte now and then holds a call for ever. Here
each wait, down to the socket's, asks how much of the whole is left. The limit belongs to the running
thread's context, because the socket that a call reads from is pooled and outlives the call.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ends_at: ContextVar[float | None] = ContextVar("deadline", default=None)


class OutOfTime(Exception):
    """The call's time is over."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Limits the block; inside another limit the earlier end holds."""
    ends_at = time.monotonic() + seconds
    outer = _ends_at.get()
    reset = _ends_at.set(ends_at if outer is None else min(outer, ends_at))
    try:
        yield
    finally:
        _ends_at.reset(reset)


def remaining(at_most: float | None = None) -> float | None:
    """Seconds that a wait may take: what is left, at most `at_most`; None for no limit. Raises OutOfTime."""
    ends_at = _ends_at.get()
    if ends_at is None:
        return at_most
    left = ends_at - time.monotonic()
    if left <= 0:
        raise OutOfTime
    return left if at_most is None else min(left, at_most)
