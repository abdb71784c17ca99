"""The servers' sockets: bound first, so that a taken port is known while nothing has to be undone."""

import json
import socket
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlsplit

from elaichi.stack import paths
from elaichi.stack.errors import PortTakenError


def listen(port: int) -> socket.socket:
    """A listening socket on this machine's own address; port 0 takes any free one."""
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        reason = error.strerror or "cannot be used"
        raise PortTakenError(f"port {port}: {reason}; choose another one with --port") from None


def listen_for_sandbox(web_port: int) -> socket.socket:
    """The sandbox's port: the one it had last time, else the one after the web server's, else any."""
    for port in _sandbox_candidates(web_port):
        with suppress(PortTakenError):
            return listen(port)
    return listen(0)


def _sandbox_candidates(web_port: int) -> Iterator[int]:
    with suppress(OSError, ValueError, KeyError, TypeError):
        remembered = urlsplit(json.loads((paths.var() / "local.json").read_text())["sandbox_url"]).port
        if remembered:
            yield remembered
    yield min(web_port + 1, 65_535)


def port_of(listener: socket.socket) -> int:
    return int(listener.getsockname()[1])
