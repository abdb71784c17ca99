"""Real MCP servers on ports of this machine: the official SDK's, and one written by hand that may do anything."""

import json
import socket
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import CallToolResult, ImageContent, TextContent, ToolAnnotations
from pydantic import BaseModel

from tests.connectors.execution.upstream import Handler, Route, Server, respond

PIXEL = b64encode(b"\x89PNG a very small picture").decode()
MODERN, LEGACY = "2026-07-28", "2025-06-18"


class Place(BaseModel):
    """Where it is."""

    city: str
    zip: str = ""


class Note(BaseModel):
    title: str
    places: list[Place]


def desk() -> MCPServer:
    """A server with a tool of each kind."""
    server = MCPServer("Desk", version="1.2")

    @server.tool(annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False))
    def find_note(title: str) -> Note:
        """Finds a note by its title."""
        return Note(title=title, places=[Place(city="Bern")])

    @server.tool(name="moveNote", title="Move a note")
    def move_note(note: Note, to: Place) -> CallToolResult:
        """Moves a note to a place."""
        return CallToolResult(content=[TextContent(text=f"{note.title} is in {to.city}")])

    @server.tool()
    def draw(size: int) -> CallToolResult:
        """Draws a picture."""
        return CallToolResult(
            content=[TextContent(text="Here it is."), ImageContent(data=PIXEL * size, mime_type="image/png")]
        )

    @server.tool()
    def fail(word: str) -> CallToolResult:
        """Fails."""
        return CallToolResult(content=[TextContent(text=f"No such {word}")], is_error=True)

    @server.tool()
    async def whoami(ctx: Context) -> CallToolResult:
        """Says who asks."""
        return CallToolResult(content=[TextContent(text=str(dict(ctx.headers or {}).get("authorization")))])

    @server.tool()
    async def ask(ctx: Context) -> str:
        """Asks the person something back."""
        answer = await ctx.elicit("How many?", Place)
        return str(answer)

    @server.tool()
    async def grow(ctx: Context) -> str:
        """Says that there are other tools now."""
        await ctx.session.send_tool_list_changed()
        return "grown"

    return server


@contextmanager
def running(app: Any) -> Iterator[str]:
    """Serves an ASGI application on a free port; yields its URL."""
    # With its protocol named, so that asyncio switches Nagle's algorithm off.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", ws="none", timeout_graceful_shutdown=1))
    thread = Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


class RpcError(Exception):
    def __init__(self, code: int, message: str, *, status: int = 200, data: Any = None) -> None:
        super().__init__(message)
        self.status = status
        self.error = {"code": code, "message": message} | ({"data": data} if data else {})


type Answer = dict[str, Any] | RpcError | Route


class Scripted(Server):
    """A server whose answers a test writes, by method: a result, an error, or a route; of a list one each, in turn."""

    def __init__(self, **tools: dict[str, Any]) -> None:
        super().__init__()
        self.routes["/mcp"] = self.speak
        self._goodbye = respond(405)
        self.asked: list[dict[str, Any]] = []
        """The messages that came, in their order."""
        self.answers: dict[str, Answer | list[Answer]] = {
            "server/discover": RpcError(-32601, "Method not found"),
            "initialize": {
                "protocolVersion": LEGACY,
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "By hand", "version": "1"},
            },
            "tools/list": {
                "tools": [
                    {"name": name, **{"inputSchema": {"type": "object"}, **fields}} for name, fields in tools.items()
                ]
            },
            "tools/call": text("done"),
        }

    @property
    def endpoint(self) -> str:
        return f"{self.url}/mcp"

    @property
    def methods(self) -> list[str]:
        return [message["method"] for message in self.asked]

    def open_sessions(self, goodbye: Route) -> None:
        """From now on each greeting opens a session, and `goodbye` answers its end."""
        greeting = self.answers["initialize"]

        def greet(handler: Handler) -> None:
            body = json.dumps({"jsonrpc": "2.0", "id": self.asked[-1]["id"], "result": greeting}).encode()
            respond(200, body, Content_Type="application/json", Mcp_Session_Id="s-1")(handler)

        self.answers["initialize"] = greet
        self._goodbye = goodbye

    def speak(self, handler: Handler) -> None:
        if handler.command != "POST":
            self._goodbye(handler)
            return
        message = json.loads(self.received[-1].body)
        self.asked.append(message)
        if "id" not in message or "method" not in message:
            respond(202)(handler)
            return
        self._answer(handler, message, self.answers.get(message["method"], RpcError(-32601, "Method not found")))

    def _answer(self, handler: Handler, message: dict[str, Any], answer: Any) -> None:
        if isinstance(answer, list):
            answer = answer.pop(0) if len(answer) > 1 else answer[0]
        if isinstance(answer, RpcError):
            reply(handler, message, status=answer.status, error=answer.error)
        elif isinstance(answer, dict):
            reply(handler, message, result=answer)
        else:
            answer(handler)


def reply(handler: Handler, message: dict[str, Any], *, status: int = 200, **said: Any) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": message["id"], **said}).encode()
    respond(status, body, Content_Type="application/json")(handler)


def streamed(*messages: dict[str, Any]) -> Route:
    """The messages as events of one stream; the last is the answer and gets the request's id."""

    def route(handler: Handler) -> None:
        assert isinstance(handler.server, Scripted)
        last = {"id": handler.server.asked[-1]["id"], **messages[-1]}
        events = [{"jsonrpc": "2.0", **message} for message in (*messages[:-1], last)]
        body = "".join(f"event: message\ndata: {json.dumps(event)}\n\n" for event in events).encode()
        respond(200, body, Content_Type="text/event-stream")(handler)

    return route


def text(words: str, **fields: Any) -> dict[str, Any]:
    """A result of tools/call."""
    return {"content": [{"type": "text", "text": words}], **fields}
