"""The stack's child processes: started with a log of their own, waited for, watched and stopped."""

import http.client
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from elaichi.stack import paths
from elaichi.stack.death import signal_when_parent_dies
from elaichi.stack.errors import ProcessDiedError, StackError

_PAUSE = 0.05
_READY_SECONDS = 60
# Long enough for a server that is still loading, so that abandoned requests do not pile up in front of it.
_ANSWER_SECONDS = 10
_STOP_SECONDS = 15


@dataclass(frozen=True, kw_only=True)
class Program:
    """What to run: arguments for our Python, additions to the environment, inherited descriptors."""

    name: str
    arguments: Sequence[str]
    environment: dict[str, str] = field(default_factory=dict)
    descriptors: Collection[int] = ()

    @property
    def log(self) -> Path:
        return paths.logs() / f"{self.name}.log"


class Child:
    """A running program, in a process group of its own: the terminal's Ctrl-C reaches it only through us."""

    def __init__(self, program: Program) -> None:
        self.program = program
        program.log.parent.mkdir(parents=True, exist_ok=True)
        with program.log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-P", *program.arguments],
                env=os.environ | {"PYTHONPATH": str(paths.CHECKOUT)} | program.environment,
                cwd=paths.CHECKOUT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=program.descriptors,
                start_new_session=True,
                preexec_fn=signal_when_parent_dies(signal.SIGTERM),
            )

    def must_live(self) -> None:
        if (code := self._process.poll()) is not None:
            name, log = self.program.name, self.program.log
            raise ProcessDiedError(f"the {name} process ended by itself (exit code {code}): see {log}")

    def ask_to_stop(self) -> None:
        self._process.terminate()

    def stop(self) -> None:
        """Let it finish what it is at, for a while; then end it with whatever it started."""
        self.ask_to_stop()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_STOP_SECONDS)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


def stop_all(children: Sequence[Child]) -> None:
    """The last one first, and each while the others are at it already."""
    for child in reversed(children):
        child.ask_to_stop()
    for child in reversed(children):
        child.stop()


def wait_until(is_ready: Callable[[], bool], child: Child) -> None:
    """Return once the child answers; raise if it dies first or takes too long."""
    deadline = time.monotonic() + _READY_SECONDS
    while not is_ready():
        child.must_live()
        if time.monotonic() > deadline:
            name, log = child.program.name, child.program.log
            raise StackError(f"the {name} process does not answer after {_READY_SECONDS} s: see {log}")
        time.sleep(_PAUSE)


def watch(children: Sequence[Child]) -> None:
    """Until one of them ends, which is an error. An exception from a signal's handler ends the watch, too."""
    while True:
        for child in children:
            child.must_live()
        time.sleep(_PAUSE)


def answers(port: int, path: str) -> bool:
    """Whether a GET of this path is answered with 200. Not by urllib, which might ask a proxy."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_ANSWER_SECONDS)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
