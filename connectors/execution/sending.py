"""Sends one request through the guard, within its limits on time, size, redirects and retries."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

import httpx2

from connectors.execution import cancellation
from connectors.execution.deadline import OutOfTime, remaining, within
from connectors.execution.errors import (
    DeadlineExceeded,
    ResponseTooLarge,
    UpstreamError,
    UpstreamUnreachable,
)
from connectors.execution.redirects import REDIRECTS, redirected
from connectors.execution.retry_after import seconds_to_wait

type HopCheck = Callable[[httpx2.URL], None]
"""Asked right before each request is sent: the first, each redirect, the retry. Refuses by raising."""

_READS = ("GET", "HEAD")
_BUSY = (429, 503)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Times in seconds, sizes in bytes after decompression."""

    connect: float = 5.0
    total: float = 30.0
    max_bytes: int = 10 * 1024 * 1024
    max_error_bytes: int = 64 * 1024
    """Of an answer that is an error: more is not read, since an excerpt is all that is shown."""
    redirects: int = 5
    longest_wait: float = 5.0
    """The longest `Retry-After` that a read waits for."""


@dataclass(frozen=True, kw_only=True)
class UpstreamResponse:
    """The last response of the chain. `truncated` only where `status` is an error and its body was cut."""

    host: str
    status: int
    headers: httpx2.Headers
    content: bytes
    truncated: bool = False
    path: str = ""
    """Of the URL that answered, percent-decoded."""


def send(
    request: httpx2.Request,
    *,
    transport: httpx2.BaseTransport,
    hop_check: HopCheck,
    limits: Limits = Limits(),
) -> UpstreamResponse:
    """Any status but a followed redirect is a response, not an error.

    Raises BlockedAddress, UpstreamUnreachable, DeadlineExceeded, ResponseTooLarge, UpstreamError (too many
    or broken redirects, undecodable body), Cancelled, and whatever `hop_check` raises. Writes are never sent
    twice; a read is, once, where the upstream answers 429 or 503 and names a short wait.
    """
    with within(limits.total):
        return _follow(request, transport, hop_check, limits)


def _follow(
    request: httpx2.Request, transport: httpx2.BaseTransport, hop_check: HopCheck, limits: Limits
) -> UpstreamResponse:
    retries, redirects = 1, limits.redirects
    while True:
        hop_check(request.url)
        with as_errors(request.url.host, limits), closing(_transmit(request, transport, limits)) as response:
            wait = _short_wait(request, response, limits) if retries else None
            location = response.headers.get("location")
            if wait is None and (response.status_code not in REDIRECTS or location is None):
                return _read(request, response, limits)
        if wait is not None:
            retries -= 1
            cancellation.pause(wait)
        elif redirects == 0:
            raise UpstreamError(f"{request.url.host} redirects more than {limits.redirects} times.")
        else:
            redirects -= 1
            request = redirected(request, response.status_code, str(location))


def _transmit(request: httpx2.Request, transport: httpx2.BaseTransport, limits: Limits) -> httpx2.Response:
    # The waits for reading and writing are cut to what is left of the whole where they happen.
    request.extensions["timeout"] = {
        "connect": remaining(limits.connect),
        "pool": remaining(limits.connect),
        "read": limits.total,
        "write": limits.total,
    }
    return transport.handle_request(request)


def _short_wait(request: httpx2.Request, response: httpx2.Response, limits: Limits) -> float | None:
    """Seconds after which this read may be sent again; None where it must not."""
    if request.method not in _READS or response.status_code not in _BUSY:
        return None
    wait = seconds_to_wait(response.headers.get("retry-after"), now=datetime.now(UTC))
    left = remaining(limits.longest_wait)
    return wait if wait is not None and left is not None and wait <= left else None


def _read(request: httpx2.Request, response: httpx2.Response, limits: Limits) -> UpstreamResponse:
    is_error = response.status_code >= 400
    content, truncated = _capped(
        response, request.url.host, limits.max_error_bytes if is_error else limits.max_bytes, cut=is_error
    )
    return UpstreamResponse(
        host=request.url.host,
        status=response.status_code,
        headers=response.headers,
        content=content,
        truncated=truncated,
        path=request.url.path,
    )


def _capped(response: httpx2.Response, host: str, cap: int, *, cut: bool) -> tuple[bytes, bool]:
    """The decoded body, and whether it was cut; raises ResponseTooLarge where it may not be `cut`.

    httpx2 decompresses in pieces of at most 1 MiB, so a bomb is noticed after one piece too many. With
    several codings stacked, an inner one could inflate unseen.
    """
    if "," in response.headers.get("content-encoding", ""):
        raise UpstreamError(f"{host} compressed its answer more than once, which is not supported.")
    assert isinstance(response.stream, httpx2.SyncByteStream)
    response.stream = _Counted(response.stream, cap)
    body = bytearray()
    try:
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > cap:
                raise _TooMuch
    except _TooMuch:
        if not cut:
            raise ResponseTooLarge(host, cap) from None
        return bytes(body[:cap]), True
    return bytes(body), False


class _TooMuch(Exception):
    """More bytes than the cap, before or after decompression."""


class _Counted(httpx2.SyncByteStream):
    """Counts what comes over the wire: compressed data may decode to nothing for ever."""

    def __init__(self, stream: httpx2.SyncByteStream, cap: int) -> None:
        self._stream = stream
        self._left = cap

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._stream:
            yield chunk[: self._left]
            self._left -= len(chunk)
            if self._left < 0:
                raise _TooMuch

    def close(self) -> None:
        self._stream.close()


@contextmanager
def as_errors(host: str, limits: Limits) -> Iterator[None]:
    """The causes are left out: their texts may hold header values and addresses."""
    try:
        yield
    except OutOfTime:
        raise DeadlineExceeded(host, limits.total) from None
    except (httpx2.ConnectTimeout, httpx2.PoolTimeout):
        raise UpstreamUnreachable(host, f"did not accept a connection within {limits.connect:g} seconds") from None
    except httpx2.TimeoutException:
        raise DeadlineExceeded(host, limits.total) from None
    except httpx2.ConnectError as error:
        raise UpstreamUnreachable(host, _why_no_connection(error)) from None
    except httpx2.DecodingError:
        raise UpstreamError(f"The answer of {host} can't be decompressed.") from None
    except httpx2.TransportError:
        raise UpstreamUnreachable(host, "broke off the connection or does not speak HTTP") from None


def _why_no_connection(error: httpx2.ConnectError) -> str:
    text = str(error)
    if "CERTIFICATE_VERIFY_FAILED" in text:
        return "has a certificate that is not trusted"
    return "does not resolve" if "not resolve" in text else "could not be reached"
