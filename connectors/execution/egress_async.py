"""The guard of outbound connections for what needs an event loop: the rules of `egress`, without a thread for each."""

import ssl
from asyncio import wrap_future
from collections.abc import Iterable, Sequence
from typing import Any

import anyio
import httpcore2
import httpx2
from httpcore2._backends.anyio import AnyIOBackend

from connectors.execution.egress import (
    Resolve,
    SocketOption,
    require_public,
    resolution,
    resolve_by_system,
    resolving,
    trusted_authorities,
)
from connectors.execution.errors import BlockedAddress


class AsyncGuardedTransport(httpx2.AsyncHTTPTransport):
    """Belongs to one event loop; keeps no cookies and follows no redirects.

    Raises BlockedAddress besides httpx2's errors; parameters as of `egress.GuardedTransport`. What limits the whole
    time is a cancel scope around its use.
    """

    def __init__(
        self,
        *,
        allowed: Iterable[str] = (),
        resolve: Resolve = resolve_by_system,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        # The parent has no parameter for a network backend. The pool is all the state that it has.
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=ssl_context or trusted_authorities(),
            network_backend=AsyncGuardedBackend(allowed=frozenset(map(str.lower, allowed)), resolve=resolve),
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.scheme not in ("http", "https"):
            raise BlockedAddress(request.url.host, "is not an http or https address")
        return await super().handle_async_request(request)


class AsyncGuardedBackend(AnyIOBackend):
    """Opens the sockets. A destination in `allowed` is not judged."""

    def __init__(self, *, allowed: frozenset[str], resolve: Resolve) -> None:
        self._allowed = allowed
        self._resolve = resolve

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[SocketOption] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        with resolving(), anyio.fail_after(timeout):
            addresses = await wrap_future(resolution(self._resolve, host, port))
        require_public(host, port, addresses, allowed=self._allowed)
        return await self._dial(addresses, port, timeout, socket_options)

    async def connect_unix_socket(self, path: str, *_: Any, **__: Any) -> httpcore2.AsyncNetworkStream:
        raise BlockedAddress("A local socket", "is not a public address")

    async def _dial(
        self, addresses: Sequence[str], port: int, timeout: float | None, options: Iterable[SocketOption] | None
    ) -> httpcore2.AsyncNetworkStream:
        """To the first address that accepts; they share the time, so that a dead one can't use it all."""
        share = timeout and timeout / len(addresses)
        for address in addresses[:-1]:
            try:
                return await super().connect_tcp(address, port, share, None, options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return await super().connect_tcp(addresses[-1], port, share, None, options)
