"""One conversation with a remote MCP server, from the greeting to the goodbye, for code that is not asynchronous.

It runs in an event loop of its own that ends with it, in a thread beside the caller's: so the database, and
the check of each request that asks it, stay in the thread that made the call.
"""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
import httpx2
from asgiref.sync import async_to_sync
from django.conf import settings
from mcp import Client
from mcp.client.session import IncomingMessage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import PARSE_ERROR, Implementation, ToolListChangedNotification
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from connectors.execution import cancellation
from connectors.execution.deadline import remaining
from connectors.execution.egress_async import AsyncGuardedTransport
from connectors.execution.errors import Cancelled, DeadlineExceeded, UpstreamError
from connectors.execution.mcp_transport import AskedTransport
from connectors.execution.redaction import redactor
from connectors.execution.results import one_line
from connectors.execution.sending import HopCheck, Limits, as_errors

_LOOKS_EVERY = 0.1

# Their lines quote what servers say, and whole URLs.
for name in ("mcp", "client", "httpx2"):
    logging.getLogger(name).setLevel(logging.CRITICAL)


@dataclass(frozen=True, kw_only=True)
class Server:
    """Where it is, and what every request to it carries. `secrets` are taken out of what it says."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    protocol_version: str = ""
    """What it is known to speak; else it is asked."""

    @property
    def host(self) -> str:
        return httpx2.URL(self.url).host


class ProtocolError(UpstreamError):
    """The server answered with an error of the protocol; `rpc_code` is its number."""

    def __init__(self, host: str, rpc_code: int, said: str) -> None:
        super().__init__(f"{host} refused the call: {said}")
        self.rpc_code = rpc_code
        self.said = said


type Work[T] = Callable[[Client], Awaitable[T]]


def converse[T](
    server: Server,
    work: Work[T],
    *,
    hop_check: HopCheck,
    limits: Limits,
    on_changed_tools: Callable[[], None] = lambda: None,
) -> T:
    """What `work` returns. Raises Refusal, whatever `hop_check` raises, and whatever of its own `work` raises.

    `on_changed_tools` is called where the server says that its tools are not what they were.
    """
    with as_errors(server.host, limits):
        seconds = remaining(limits.total) or limits.total
    changes: list[ToolListChangedNotification] = []
    try:
        return async_to_sync(_converse)(server, work, hop_check, limits, seconds, changes)
    finally:
        if changes:
            on_changed_tools()


async def _converse[T](
    server: Server,
    work: Work[T],
    hop_check: HopCheck,
    limits: Limits,
    seconds: float,
    changes: list[ToolListChangedNotification],
) -> T:
    outcome: list[T | Exception] = []
    async with AsyncGuardedTransport(allowed=settings.EGRESS_ALLOWED) as guarded:
        asked = AskedTransport(guarded, hop_check=hop_check, limits=limits, redact=redactor(server.secrets))
        try:
            with anyio.fail_after(seconds):
                async with anyio.create_task_group() as group:
                    group.start_soon(_watch, asked, group.cancel_scope)
                    async with _connected(server, asked, limits, changes) as client:
                        outcome.append(await _attempt(work, client))
                    group.cancel_scope.cancel()
        except TimeoutError:
            outcome.append(DeadlineExceeded(server.host, limits.total))
        except Exception as error:
            outcome.append(_innermost(error))
    # What came first counts: a goodbye that goes wrong changes nothing of what was done.
    found = outcome[0] if outcome else Cancelled()
    if isinstance(found, Exception):
        raise _reason(found, server, asked) from None
    return found


async def _watch(asked: AskedTransport, conversation: anyio.CancelScope) -> None:
    """Ends it when whoever asked for the call hangs up."""
    try:
        while True:
            cancellation.pause(0)
            await anyio.sleep(_LOOKS_EVERY)
    except Cancelled as hung_up:
        asked.stopped_by = hung_up
        conversation.cancel()


async def _attempt[T](work: Work[T], client: Client) -> T | Exception:
    """An error as a value: raised through the client, it would come out wrapped in groups of others."""
    try:
        return await work(client)
    except Exception as error:
        return error


@asynccontextmanager
async def _connected(
    server: Server, transport: AskedTransport, limits: Limits, changes: list[ToolListChangedNotification]
) -> AsyncIterator[Client]:
    async def hear(message: IncomingMessage) -> None:
        if isinstance(message, ToolListChangedNotification):
            changes.append(message)

    async with (
        httpx2.AsyncClient(
            transport=transport,
            headers=dict(server.headers),
            trust_env=False,
            max_redirects=limits.redirects,
        ) as http,
        Client(
            streamable_http_client(server.url, http_client=http, max_sse_event_size=limits.max_bytes),
            mode=_mode(server.protocol_version),
            client_info=Implementation(name="elaichi", version=settings.VERSION),
            message_handler=hear,
            cache=None,
        ) as client,
    ):
        yield client


def _mode(protocol_version: str) -> str:
    if not protocol_version:
        return "auto"
    return protocol_version if protocol_version in MODERN_PROTOCOL_VERSIONS else "legacy"


def _innermost(error: Exception) -> Exception:
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error


def _reason(error: Exception, server: Server, asked: AskedTransport) -> Exception:
    """The refusal to raise: what stopped the conversation, else what the server answered."""
    if asked.stopped_by is not None:
        return asked.stopped_by
    match error:
        case MCPError() if asked.failed is not None:
            return asked.failed
        case MCPError(code=code) if code != PARSE_ERROR:
            return ProtocolError(server.host, code, one_line(error.message, redactor(server.secrets)))
        case MCPError() | ValidationError() | RuntimeError() | httpx2.HTTPError() | anyio.ClosedResourceError():
            return UpstreamError(f"{server.host} answered with something that is not MCP.")
    return error
