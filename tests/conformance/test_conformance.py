"""The protocol's own conformance suite against the running gateway.

`ELAICHI_CONFORMANCE` names a folder with Node 24 or newer and the suite in its `node_modules`; `.ci/run` makes one.
"""

import os
import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from accesscontrol.models import Member
from tests import cast
from tests.e2e.conftest import Gateway

SUITE = Path(os.environ.get("ELAICHI_CONFORMANCE", "")) / "node_modules"
pytestmark = pytest.mark.skipif(
    not os.environ.get("ELAICHI_CONFORMANCE"), reason="ELAICHI_CONFORMANCE names no folder with the suite; see .ci/run"
)

LEGACY = ("server-initialize", "ping", "tools-list", "dns-rebinding-protection")
MODERN = ("tools-list", "dns-rebinding-protection", "http-header-validation")
NEED_FIXTURE_TOOLS = {
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
}
"""Checks of `server-stateless` that call a tool which only a test server has."""


@pytest.fixture
def authorized(gateway: Gateway, dora: Member) -> Iterator[str]:
    """The suite cannot send a token, so a proxy on the way adds it; Host and Origin pass through untouched."""
    port = int(gateway.url.rpartition(":")[2])
    server = ThreadingHTTPServer(("127.0.0.1", 0), _forwarder(port, cast.token(dora)))
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/mcp"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("scenario", LEGACY)
def test_a_scenario_of_the_legacy_era_passes(authorized: str, scenario: str) -> None:
    assert failures(authorized, scenario, "2025-11-25") == set()


@pytest.mark.parametrize("scenario", MODERN)
def test_a_scenario_of_the_modern_era_passes(authorized: str, scenario: str) -> None:
    assert failures(authorized, scenario, "2026-07-28") == set()


def test_the_stateless_server_passes_all_that_needs_no_fixture_tool(authorized: str) -> None:
    assert failures(authorized, "server-stateless", "2026-07-28") == NEED_FIXTURE_TOOLS


def failures(url: str, scenario: str, version: str) -> set[str]:
    """The ids of the checks that did not succeed; at least one must have."""
    node, program = SUITE / ".bin" / "node", SUITE / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    command: list[str | Path] = [
        node,
        program,
        "server",
        "--url",
        url,
        "--scenario",
        scenario,
        "--spec-version",
        version,
    ]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    plain = re.sub(r"\x1b\[\d*m", "", run.stdout)
    checks = re.findall(r"\[([a-z0-9-]+)\s*\] (SUCCESS|FAILURE|WARNING)\b", plain)
    assert [name for name, outcome in checks if outcome == "SUCCESS"], run.stdout + run.stderr
    return {name for name, outcome in checks if outcome != "SUCCESS"}


def _forwarder(port: int, token: str) -> type[BaseHTTPRequestHandler]:
    class Forwarder(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            upstream = HTTPConnection("127.0.0.1", port, timeout=30)
            upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in ("authorization", "content-length", "connection"):
                    upstream.putheader(name, value)
            upstream.putheader("Authorization", f"Bearer {token}")
            upstream.putheader("Content-Length", str(len(body)))
            upstream.endheaders(body)
            answer = upstream.getresponse()
            self._answer(answer.status, answer.getheaders(), answer.read())
            upstream.close()

        def _answer(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
            self.send_response(status)
            for name, value in headers:
                if name.lower() not in ("content-length", "connection", "transfer-encoding", "date", "server"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_DELETE = do_OPTIONS = _forward  # noqa: N815  the names that http.server looks for

        def handle(self) -> None:
            # Node drops its connections without a word when it has what it wants.
            with suppress(ConnectionResetError, BrokenPipeError):
                super().handle()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Forwarder
