"""Child processes: waited for, watched and stopped."""

from pathlib import Path

import pytest

from elaichi.stack.errors import PortTakenError, ProcessDiedError
from elaichi.stack.ports import listen, listen_for_sandbox, port_of
from elaichi.stack.processes import Child, Program, answers, stop_all, wait_until, watch
from tests.elaichi.stack.observe import eventually, processes_of

_SLEEP = "import time; time.sleep(60)"
# Says so in its log once it ignores the request to stop; its own child has to go with it.
_STUBBORN = f"""
import signal, subprocess, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "{_SLEEP}"])
print("deaf", flush=True)
child.wait()
"""


def _program(name: str, code: str) -> Program:
    return Program(name=name, arguments=["-c", code])


def test_a_process_that_dies_is_named_with_its_log(var: Path) -> None:
    children = [Child(_program("sleeper", _SLEEP)), Child(_program("mortal", "import sys; sys.exit('no tea')"))]
    with pytest.raises(
        ProcessDiedError, match=r"the mortal process ended by itself \(exit code 1\): see .*mortal\.log"
    ):
        watch(children)
    assert (var / "log" / "mortal.log").read_text() == "no tea\n"
    stop_all(children)
    assert processes_of(var) == {}


def test_waiting_for_a_process_that_dies_ends_at_once(var: Path) -> None:
    child = Child(_program("mortal", ""))
    with pytest.raises(ProcessDiedError):
        wait_until(lambda: False, child)


def test_a_process_that_will_not_stop_is_ended_with_its_children(var: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("elaichi.stack.processes._STOP_SECONDS", 0.1)
    child = Child(_program("stubborn", _STUBBORN))
    log = var / "log" / "stubborn.log"
    assert eventually(lambda: "deaf" in log.read_text())
    child.stop()
    assert eventually(lambda: processes_of(var) == {})


def test_a_taken_port_says_what_to_do() -> None:
    with listen(0) as taken, pytest.raises(PortTakenError, match=rf"port {port_of(taken)}: .* with --port"):
        listen(port_of(taken))


def test_the_sandbox_gets_its_old_port_if_that_is_free(var: Path) -> None:
    with listen(0) as old:
        port = port_of(old)
        var.mkdir()
        (var / "local.json").write_text(f'{{"sandbox_url": "http://127.0.0.1:{port}"}}')
        with listen_for_sandbox(port - 1) as other:
            assert port_of(other) != port
    with listen_for_sandbox(1) as again:
        assert port_of(again) == port


def test_a_closed_port_does_not_answer() -> None:
    with listen(0) as closed:
        port = port_of(closed)
    assert not answers(port, "/")
