"""A real HTTP server on a port of this machine, which records what reaches it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True, kw_only=True)
class Received:
    method: str
    target: str
    headers: dict[str, str]
    """Names in lower case."""
    body: bytes


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "Server"

    def answer(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        self.server.received.append(
            Received(
                method=self.command,
                target=self.path,
                headers={name.lower(): value for name, value in self.headers.items()},
                body=self.rfile.read(size),
            )
        )
        self.server.routes.get(urlsplit(self.path).path, respond(404))(self)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = answer  # noqa: N815  http.server's names

    def log_message(self, format: str, *args: Any) -> None:
        pass


type Route = Callable[[Handler], None]


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.routes: dict[str, Route] = {}
        self.received: list[Received] = []
        self.stopping = Event()

    @property
    def authority(self) -> str:
        return f"127.0.0.1:{self.server_port}"

    @property
    def url(self) -> str:
        return f"http://{self.authority}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is what these tests are about."""


@contextmanager
def serving(server: Server) -> Iterator[Server]:
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()


def respond(status: int = 200, body: bytes = b"", **headers: str) -> Route:
    """Underscores in the names stand for dashes."""

    def route(handler: Handler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        if handler.command != "HEAD":
            handler.wfile.write(body)

    return route


def in_turn(*routes: Route) -> Route:
    """The first request gets the first answer, and so on; the last one stays."""
    left = list(routes)
    return lambda handler: (left.pop(0) if len(left) > 1 else left[0])(handler)


def endless(piece: bytes, *, pause: float = 0.0, head: bytes = b"HTTP/1.1 200 OK\r\n\r\n") -> Route:
    """Sends the piece again and again until the client hangs up."""

    def route(handler: Handler) -> None:
        handler.close_connection = True
        handler.wfile.write(head)
        while not handler.server.stopping.wait(pause):
            handler.wfile.write(piece)

    return route
