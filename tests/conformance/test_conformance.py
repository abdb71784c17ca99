"""The protocol's own conformance suite against the running gateway.

`ELAICHI_CONFORMANCE` names a folder with Node 24 or newer and the suite in its `node_modules`; `.ci/run` makes one.
"""

import os
import re
import subprocess
import threading
import tomllib
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
PROGRAM = (SUITE / ".bin" / "node", SUITE / "@modelcontextprotocol" / "conformance" / "dist" / "index.js")
pytestmark = pytest.mark.skipif(
    not os.environ.get("ELAICHI_CONFORMANCE"), reason="ELAICHI_CONFORMANCE names no folder with the suite; see .ci/run"
)

LEFT_OUT = tomllib.loads((Path(__file__).parent / "left_out.toml").read_text())
REVISIONS = ("2025-11-25", "2026-07-28")
NOT_MET = {
    "server-stateless": {
        "sep-2575-server-rejects-undeclared-capability",
        "sep-2575-missing-capability-http-400",
        "sep-2575-http-server-no-independent-requests-on-stream",
    }
}
"""Checks within a scenario that is run otherwise: of sampling (a tool needs it of the client) and of SSE streams."""


def scenarios() -> list[tuple[str, str]]:
    """Every server scenario that the suite has for a revision, extensions apart; none where it is not installed."""
    if not SUITE.is_dir():
        return []
    listed = subprocess.run([*PROGRAM, "list"], capture_output=True, text=True, timeout=60, check=True).stdout
    ours = listed.partition("Server scenarios")[2].partition("Client scenarios")[0]
    return [
        (revision, name)
        for name, revisions in re.findall(r"- ([\w-]+) \[([\d,-]+)\]", ours)
        for revision in REVISIONS
        if revision in revisions.split(",")
    ]


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


@pytest.mark.parametrize(("revision", "scenario"), [it for it in scenarios() if it[1] not in LEFT_OUT[it[0]]])
def test_a_scenario_passes(authorized: str, revision: str, scenario: str) -> None:
    assert failures(authorized, scenario, revision) == NOT_MET.get(scenario, set())


def test_what_is_left_out_is_there_to_be_left_out() -> None:
    left_out = {(revision, name) for revision, names in LEFT_OUT.items() for name in names}
    assert left_out <= set(scenarios())


def failures(url: str, scenario: str, version: str) -> set[str]:
    """The ids of the checks that did not succeed; at least one must have."""
    command: list[str | Path] = [
        *PROGRAM,
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
