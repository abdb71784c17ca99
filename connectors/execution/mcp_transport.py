"""The HTTP beneath a conversation with a remote MCP server: each request is asked about, limited and judged.

The protocol's client turns most of what goes wrong into errors of its own and some into none. So what stopped
the conversation is kept here, as the refusal that the caller raises.
"""

from collections.abc import AsyncIterator, Callable

import httpx2
from asgiref.sync import sync_to_async

from accesscontrol.exceptions import Refusal
from connectors.execution.errors import BlockedAddress, CredentialRefused, ResponseTooLarge, UpstreamError
from connectors.execution.media import NotJSON, parse_json
from connectors.execution.redaction import Redact
from connectors.execution.redirects import REDIRECTS, redirected
from connectors.execution.results import failure
from connectors.execution.sending import HopCheck, Limits, UpstreamResponse, as_errors

_RESUMES = "last-event-id"
_GOODBYE_SECONDS = 2.0
# They describe the bytes as they travelled; the client gets them decoded.
_OF_THE_TRANSFER = ("content-encoding", "content-length", "transfer-encoding")


class Unauthorized(CredentialRefused):
    """`challenge` is the WWW-Authenticate header of the server's 401."""

    def __init__(self, host: str, challenge: str) -> None:
        super().__init__(host)
        self.challenge = challenge


class AskedTransport(httpx2.AsyncBaseTransport):
    """Asks `hop_check` right before each request, redirects included, in the thread that made the call."""

    def __init__(
        self, transport: httpx2.AsyncBaseTransport, *, hop_check: HopCheck, limits: Limits, redact: Redact
    ) -> None:
        self.stopped_by: Exception | None = None
        """What ended the conversation: a refusal of ours, or whatever `hop_check` raised."""
        self.failed: Refusal | None = None
        """The last answer to a message, where it was an HTTP error without an error of the protocol in it."""
        self._transport = transport
        self._hop_check = hop_check
        self._limits = limits
        self._redact = redact

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "GET" and _RESUMES not in request.headers:
            # A stream for what the server says unasked would cost each call a request, and outlive none.
            return httpx2.Response(405)
        try:
            return await self._send(request)
        except Exception as error:
            self._stop(request, error)
            raise

    async def aclose(self) -> None:
        await self._transport.aclose()

    async def _send(self, request: httpx2.Request) -> httpx2.Response:
        if self.stopped_by is not None:
            raise self.stopped_by
        await sync_to_async(self._hop_check)(request.url)
        request.extensions["timeout"] = {
            "connect": self._limits.connect,
            "pool": self._limits.connect,
            "read": _GOODBYE_SECONDS if request.method == "DELETE" else self._limits.total,
            "write": self._limits.total,
        }
        with as_errors(request.url.host, self._limits):
            response = await self._transport.handle_async_request(request)
        if response.status_code >= 400:
            return await self._judge(request, response)
        try:
            await _require_followable(request, response)
        except Refusal:
            await response.aclose()
            raise
        if request.method == "POST":
            self.failed = None
        return _decoded(response, self._body(request, response, self._limits.max_bytes))

    def _stop(self, request: httpx2.Request, error: Exception) -> None:
        """Not for a goodbye (DELETE), by which time the call has its answer."""
        if self.stopped_by is None and request.method != "DELETE":
            self.stopped_by = error

    def _body(self, request: httpx2.Request, response: httpx2.Response, cap: int) -> "_Body":
        return _Body(request.url.host, response, cap, self._limits, lambda error: self._stop(request, error))

    async def _judge(self, request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
        """An error of the protocol is for its client, which may try another era; 401 and 429 end the conversation."""
        content, host = await self._beginning(request, response), request.url.host
        if response.status_code == 401:
            raise Unauthorized(host, response.headers.get("www-authenticate", ""))
        found = UpstreamResponse(host=host, status=response.status_code, headers=response.headers, content=content)
        refusal = failure(found, self._redact)
        if response.status_code == 429:
            raise refusal
        if request.method == "POST":
            self.failed = None if _is_error_of_the_protocol(content) else refusal
        return httpx2.Response(response.status_code, headers=_plain(response.headers), content=content)

    async def _beginning(self, request: httpx2.Request, response: httpx2.Response) -> bytes:
        body, content = _Body(request.url.host, response, self._limits.max_bytes, self._limits, None), bytearray()
        try:
            async for chunk in body:
                content += chunk
                if len(content) >= self._limits.max_error_bytes:
                    break
        finally:
            await response.aclose()
        return bytes(content[: self._limits.max_error_bytes])


class _Body(httpx2.AsyncByteStream):
    """A response's decoded content, up to a cap; what goes wrong is told to `stop` too."""

    def __init__(
        self,
        host: str,
        response: httpx2.Response,
        cap: int,
        limits: Limits,
        stop: Callable[[Exception], None] | None,
    ) -> None:
        self._host = host
        self._response = response
        self._cap = cap
        self._limits = limits
        self._stop = stop

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._capped():
                yield chunk
        except Refusal as refusal:
            if self._stop is not None:
                self._stop(refusal)
            raise

    async def _capped(self) -> AsyncIterator[bytes]:
        """httpx2 decompresses in pieces of at most 1 MiB; with several codings stacked, an inner one could inflate."""
        if "," in self._response.headers.get("content-encoding", ""):
            raise UpstreamError(f"{self._host} compressed its answer more than once, which is not supported.")
        size = 0
        with as_errors(self._host, self._limits):
            async for chunk in self._response.aiter_bytes():
                size += len(chunk)
                if size > self._cap:
                    raise ResponseTooLarge(self._host, self._cap)
                yield chunk

    async def aclose(self) -> None:
        await self._response.aclose()


async def _require_followable(request: httpx2.Request, response: httpx2.Response) -> None:
    """Only a redirect that stays at the server and keeps the message can be followed. Raises Refusal for another."""
    location = response.headers.get("location")
    if response.status_code not in REDIRECTS or location is None:
        return
    await request.aread()
    target = redirected(request, response.status_code, location)
    if _origin(target.url) != _origin(request.url):
        raise BlockedAddress(target.url.host, "is another server than the one that was asked, which redirects there")
    if target.method != request.method:
        raise UpstreamError(f"{request.url.host} redirects in a way that would lose the message.")


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _decoded(response: httpx2.Response, body: _Body) -> httpx2.Response:
    return httpx2.Response(response.status_code, headers=_plain(response.headers), stream=body)


def _plain(headers: httpx2.Headers) -> httpx2.Headers:
    return httpx2.Headers([(name, value) for name, value in headers.multi_items() if name not in _OF_THE_TRANSFER])


def _is_error_of_the_protocol(content: bytes) -> bool:
    try:
        found = parse_json(content)
    except NotJSON:
        return False
    return isinstance(found, dict) and found.get("jsonrpc") == "2.0" and isinstance(found.get("error"), dict)
