"""Serves the sandbox over HTTP, with a thread for each request."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from elaichi.sandbox.app import Sandbox


class Server(ThreadingMixIn, WSGIServer):
    """Takes a socket that already listens, so that whoever chose the port holds it from then on."""

    daemon_threads = True

    def __init__(self, listener: socket.socket, application: Sandbox) -> None:
        super().__init__(("", 0), WSGIRequestHandler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.server_name, self.server_port = listener.getsockname()[:2]
        self.setup_environ()
        self.set_app(application)


def address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{host}:{port}"


@contextmanager
def running() -> Iterator[str]:
    """A sandbox of its own on a free port, for as long as the block runs; yields its URL."""
    listener = socket.create_server(("127.0.0.1", 0))
    url = address(listener)
    with Server(listener, Sandbox(url)) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield url
        finally:
            server.shutdown()
            thread.join()
