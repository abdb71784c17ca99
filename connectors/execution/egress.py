"""The guard of outbound connections: a socket opens only to a public address that the name just resolved to.

The name is resolved once, every address found is judged, and exactly such an address is dialled; so a name
that resolves differently a moment later changes nothing, and however an address is spelled (octal, decimal,
hex, full-width digits, a trailing dot), what counts is where it leads. TLS and the Host header keep the
name. A pooled connection is reused for the same scheme, host and port alone. The environment (proxies,
netrc, certificate files) is not read.
"""

import logging
import os
import socket
import ssl
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from functools import lru_cache
from threading import Thread
from typing import Any

import httpcore2
import httpx2

from connectors.execution import cancellation
from connectors.execution.addresses import is_public
from connectors.execution.deadline import remaining
from connectors.execution.errors import BlockedAddress

type Resolve = Callable[[str, int], Sequence[str]]
"""From a host and port to the IP addresses behind it; raises OSError."""
type SocketOption = tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]

_MAX_CONNECTIONS = 200
_MAX_IDLE = 40
_IDLE_SECONDS = 30.0
_WRITE_CHUNK = 64 * 1024


def resolve_by_system(host: str, port: int) -> list[str]:
    """Every address that the system's resolver gives, in its order of preference."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class GuardedTransport(httpx2.HTTPTransport):
    """Thread-safe and pooled; keeps no cookies and follows no redirects.

    Raises BlockedAddress besides httpx2's errors. `allowed` are `host:port` that may be reached although
    they are not public, spelled as in the URL.
    """

    def __init__(
        self,
        *,
        allowed: Iterable[str] = (),
        resolve: Resolve = resolve_by_system,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        # The parent has no parameter for a network backend. The pool is all the state that it has.
        self._pool = httpcore2.ConnectionPool(
            ssl_context=ssl_context or trusted_authorities(),
            max_connections=_MAX_CONNECTIONS,
            max_keepalive_connections=_MAX_IDLE,
            keepalive_expiry=_IDLE_SECONDS,
            network_backend=GuardedBackend(allowed=frozenset(map(str.lower, allowed)), resolve=resolve),
        )

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.scheme not in ("http", "https"):
            raise BlockedAddress(request.url.host, "is not an http or https address")
        return super().handle_request(request)


class GuardedBackend(httpcore2.NetworkBackend):
    """Opens the sockets. A destination in `allowed` is not judged."""

    def __init__(self, *, allowed: frozenset[str], resolve: Resolve) -> None:
        self._allowed = allowed
        self._resolve = resolve

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[SocketOption] | None = None,
    ) -> httpcore2.NetworkStream:
        addresses = _resolve_in_time(self._resolve, host, port, remaining(timeout))
        require_public(host, port, addresses, allowed=self._allowed)
        return TimedStream(_dial(addresses, port, timeout, socket_options or ()))

    def connect_unix_socket(self, path: str, *_: Any, **__: Any) -> httpcore2.NetworkStream:
        raise BlockedAddress("A local socket", "is not a public address")


class TimedStream(httpcore2.NetworkStream):
    """Waits no longer than the whole call may take, however small the pieces that the peer sends or takes.

    And no longer than whoever asked for the call stays connected.
    """

    def __init__(self, stream: httpcore2.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if not cancellation.until_readable(self.get_extra_info("socket"), remaining(timeout)):
            remaining()  # raises where it is the whole call's time that is over
            raise httpcore2.ReadTimeout
        return self._stream.read(max_bytes, remaining(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _WRITE_CHUNK):
            self._stream.write(buffer[start : start + _WRITE_CHUNK], remaining(timeout))

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return TimedStream(self._stream.start_tls(ssl_context, server_hostname, remaining(timeout)))

    def close(self) -> None:
        self._stream.close()

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


class _Lent(httpx2.BaseTransport):
    """The shared transport for a client that may be closed: closing it must not cut off other calls."""

    def __init__(self, transport: GuardedTransport) -> None:
        self._transport = transport

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        return self._transport.handle_request(request)


def guarded_transport(allowed: Iterable[str] = ()) -> GuardedTransport:
    """The process's transport for this allow-list."""
    return _shared_transport(frozenset(allowed))


def guarded_client(allowed: Iterable[str] = (), *, timeout: float = 10.0) -> httpx2.Client:
    """A client with cookies and headers of its own on the shared transport, for libraries that want a client.

    `timeout` is seconds for each wait; `deadline.within` limits the whole.
    """
    # It logs whole URLs at INFO, and a query may hold an API key.
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    return httpx2.Client(transport=_Lent(guarded_transport(allowed)), trust_env=False, timeout=timeout)


@lru_cache(maxsize=1)
def trusted_authorities() -> ssl.SSLContext:
    """What certificates are checked against. Reading them takes longer than a call."""
    return httpx2.create_ssl_context(trust_env=False)


@lru_cache(maxsize=8)
def _shared_transport(allowed: frozenset[str]) -> GuardedTransport:
    return GuardedTransport(allowed=allowed)


# Two processes must not talk over one socket.
os.register_at_fork(after_in_child=_shared_transport.cache_clear)


def require_public(host: str, port: int, addresses: Sequence[str], *, allowed: frozenset[str]) -> None:
    """Raises BlockedAddress where one of the addresses is not public, unless `host:port` is allowed."""
    if f"{_bracketed(host)}:{port}".lower() not in allowed and not all(map(is_public, addresses)):
        raise BlockedAddress(host)


def resolution(resolve: Resolve, host: str, port: int) -> "Future[Sequence[str]]":
    """In a thread of its own: the system's resolver takes no time limit and may wait half a minute."""
    answer: Future[Sequence[str]] = Future()
    # From here on nobody can cancel it, who does not wait any longer.
    answer.set_running_or_notify_cancel()
    Thread(target=_answer, args=(answer, resolve, host, port), name="resolve", daemon=True).start()
    return answer


@contextmanager
def resolving() -> Iterator[None]:
    """Tells why a resolution inside failed in httpcore2's words."""
    try:
        yield
    except TimeoutError:
        raise httpcore2.ConnectTimeout("The name was not resolved in time.") from None
    except (OSError, UnicodeError, LookupError):
        raise httpcore2.ConnectError("The name does not resolve.") from None


def _resolve_in_time(resolve: Resolve, host: str, port: int, timeout: float | None) -> Sequence[str]:
    with resolving():
        return resolution(resolve, host, port).result(timeout)


def _answer(answer: "Future[Sequence[str]]", resolve: Resolve, host: str, port: int) -> None:
    try:
        addresses = resolve(host, port)
        if not addresses:
            raise LookupError
        answer.set_result(addresses)
    except Exception as error:
        answer.set_exception(error)


def _dial(
    addresses: Sequence[str], port: int, timeout: float | None, options: Iterable[SocketOption]
) -> httpcore2.NetworkStream:
    """To the first address that accepts; they share the time, so that a dead one can't use it all."""
    backend = httpcore2.SyncBackend()
    for left in range(len(addresses), 0, -1):
        address = addresses[-left]
        try:
            return backend.connect_tcp(address, port, _share(remaining(timeout), left), None, options)
        except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
            if left == 1:
                raise
    raise httpcore2.ConnectError("The name does not resolve.")


def _share(seconds: float | None, left: int) -> float | None:
    return None if seconds is None else seconds / left


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
