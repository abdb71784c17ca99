"""`python -m elaichi.sandbox`: serves the sandbox until it is told to stop."""

import argparse
import os
import signal
import socket
import sys

from elaichi.sandbox.app import Sandbox
from elaichi.sandbox.server import Server, address


def main() -> None:
    parser = argparse.ArgumentParser(prog="elaichi.sandbox", description=__doc__)
    parser.add_argument("--port", type=int, default=8001)
    parser.add_argument("--fd", type=int, help="the number of an inherited socket that listens, instead of a port")
    chosen = parser.parse_args()
    if chosen.fd is None:
        listener = socket.create_server(("127.0.0.1", chosen.port))
    else:
        listener = socket.socket(fileno=chosen.fd)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with Server(listener, Sandbox(os.environ.get("SANDBOX_URL") or address(listener))) as server:
        server.serve_forever()


if __name__ == "__main__":
    main()
