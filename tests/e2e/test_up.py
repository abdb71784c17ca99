"""The whole local stack, started and stopped as a person does it."""

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from elaichi.stack import paths
from tests.elaichi.stack.observe import eventually, leftovers, processes_of

_OURS = ("DATABASE_URL", "PGOPTIONS", "PUBLIC_URL", "SECRET_KEY", "CREDENTIAL_KEYS", "EGRESS_ALLOWED", "DEBUG")


def _up(var: Path, port: int = 0) -> subprocess.Popen[str]:
    environment = {name: value for name, value in os.environ.items() if name not in _OURS}
    return subprocess.Popen(
        [paths.CHECKOUT / "run", "up", f"--port={port}"],
        env=environment | {"ELAICHI_VAR": str(var)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _is_up(process: subprocess.Popen[str]) -> bool:
    assert process.stdout
    return any(line.startswith("elaichi is up") for line in process.stdout)


def _local(var: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((var / "local.json").read_text())
    return found


def _port(local: dict[str, Any], key: str) -> int:
    port = httpx2.URL(local[key]).port
    assert port
    return port


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


def _tools(local: dict[str, Any]) -> set[str]:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    headers = {
        "Authorization": f"Bearer {local['people'][0]['token']}",
        "MCP-Protocol-Version": "2025-11-25",
        "Accept": "application/json, text/event-stream",
    }
    answer = httpx2.post(local["mcp_url"], json=call, headers=headers, timeout=20)
    return {tool["name"] for tool in answer.json()["result"]["tools"]}


@pytest.fixture(scope="module")
def var(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("up") / "var"


@pytest.fixture
def before(var: Path) -> dict[str, Any]:
    """What the previous `up` told."""
    return _local(var)


@pytest.fixture
def running(var: Path) -> Iterator[subprocess.Popen[str]]:
    """A stack that is up. The tests of this module follow one another in the same `var/`, as days do."""
    process = _up(var)
    try:
        assert _is_up(process), process.communicate()
        yield process
    finally:
        process.kill()
        process.communicate()
        assert eventually(lambda: processes_of(var) == {}, seconds=30)


def test_a_taken_port_is_named_before_anything_starts(var: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = _up(var, port)
        output, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert output == ""
    assert errors.splitlines()[-1].startswith(f"elaichi: port {port}: ")
    assert errors.splitlines()[-1].endswith("choose another one with --port")
    assert not (var / "postgres").exists()


def test_up_serves_and_takes_everything_along_when_it_is_killed(running: subprocess.Popen[str], var: Path) -> None:
    local = _local(var)
    assert (var / "local.json").stat().st_mode & 0o777 == 0o600
    assert {"search_tools", "execute_tool"} <= _tools(local)
    assert httpx2.get(local["admin_url"], follow_redirects=True, timeout=20).status_code == 200
    assert httpx2.get(f"{local['sandbox_url']}/_health").json() == {"status": "ok"}

    running.kill()
    assert eventually(lambda: processes_of(var) == {}, seconds=30)
    assert leftovers(var) == []
    assert _is_free(_port(local, "mcp_url"))


def test_a_second_up_keeps_the_data_and_ctrl_c_leaves_nothing(
    before: dict[str, Any], running: subprocess.Popen[str], var: Path
) -> None:
    after = _local(var)
    assert after["people"] == before["people"]
    assert after["sandbox_url"] == before["sandbox_url"]
    assert {"search_tools", "execute_tool"} <= _tools(after)

    another = _up(var)
    assert "this checkout is up already" in another.communicate(timeout=60)[1]
    assert another.returncode == 1

    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=60)
    assert running.returncode == 0, errors
    assert errors.splitlines()[-2:] == ["Stopping.", "Stopped."]
    assert processes_of(var) == {}
    assert leftovers(var) == []
    assert _is_free(_port(after, "mcp_url"))
    assert _is_free(_port(after, "sandbox_url"))
