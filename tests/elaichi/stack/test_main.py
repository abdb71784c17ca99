"""`./run manage` and its database: there for the command, gone after it, however the command ends."""

import signal
import subprocess
from pathlib import Path

import pytest

from elaichi.stack.paths import CHECKOUT
from tests.elaichi.stack.observe import leftovers, processes_of

_RUN = str(CHECKOUT / "run")
_WAIT = "from django.db import connection; connection.ensure_connection(); print('in', flush=True); input()"


def test_a_command_finds_its_database_running_and_has_standard_output_alone(stocked: Path) -> None:
    code = "from django.db import connection; connection.ensure_connection(); print('{}')"
    command = [_RUN, "manage", "shell", "--no-imports", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "{}\n"), done.stderr
    assert processes_of(stocked) == {}
    assert leftovers(stocked) == []


def test_a_command_that_fails_leaves_nothing_and_passes_its_exit_code_on(stocked: Path) -> None:
    done = subprocess.run([_RUN, "manage", "dance"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "Unknown command: 'dance'" in done.stderr
    assert processes_of(stocked) == {}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_command_that_is_interrupted_leaves_nothing(stocked: Path, number: signal.Signals) -> None:
    process = subprocess.Popen(
        [_RUN, "manage", "shell", "--no-imports", "-c", _WAIT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "in\n"
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode in (128 + number, -number)  # both are what a shell shows as 128 + number
    assert processes_of(stocked) == {}
    assert leftovers(stocked) == []
