"""Whoever asked for a call may hang up while it runs: then the call ends, too, wherever it waits.

A wait for the upstream is one wait for both sides, so a hang-up is noticed when it happens and costs nothing until
then. The client's connection belongs to the running thread's context, like the deadline; where nobody put one there
(a command, a task) nothing is watched, and neither is it on systems that cannot tell a hang-up from a request that
follows (all but Linux and FreeBSD). A client that closes only its sending half counts as gone.
"""

import select
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from connectors.execution.errors import Cancelled


class Client(Protocol):
    """The connection over which the request came."""

    def fileno(self) -> int: ...


_client: ContextVar[Client | None] = ContextVar("client", default=None)
_HANGS_UP = getattr(select, "POLLRDHUP", 0)


@contextmanager
def ending_with(client: Client | None) -> Iterator[None]:
    """Ends the calls of the block when this client hangs up."""
    reset = _client.set(client)
    try:
        yield
    finally:
        _client.reset(reset)


def pause(seconds: float) -> None:
    """Sleeps. Raises Cancelled."""
    _poll(None, seconds)


def until_readable(upstream: socket.socket, seconds: float | None) -> bool:
    """Whether there is something to read, or the end, before the time is over. Raises Cancelled."""
    # A TLS connection may have decrypted more than was asked for.
    pending = getattr(upstream, "pending", None)
    return bool(pending and pending()) or _poll(upstream, seconds)


def _poll(upstream: socket.socket | None, seconds: float | None) -> bool:
    poll, client = select.poll(), _client.get()
    if upstream is not None:
        poll.register(upstream, select.POLLIN)
    if client is not None and _HANGS_UP:
        poll.register(client, _HANGS_UP)
    found = poll.poll(None if seconds is None else 1000 * seconds)
    if client is not None and any(descriptor == client.fileno() for descriptor, _ in found):
        raise Cancelled
    return bool(found)
