"""Looks at the machine from outside: which processes belong to a stack, and whether something comes true in time."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path


def eventually(condition: Callable[[], bool], *, seconds: float = 20) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def processes_of(var: Path) -> dict[int, str]:
    """Every living process that works for the stack in this `var/`, found by its command, environment or folder."""
    return dict(_living(var))


def _living(var: Path) -> Iterator[tuple[int, str]]:
    mark = os.fsencode(var)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with suppress(OSError):  # it may end while we look
                command = (entry / "cmdline").read_bytes()
                if mark in command + (entry / "environ").read_bytes() or _works_in(entry, var):
                    yield int(entry.name), command.replace(b"\0", b" ").decode()


def _works_in(entry: Path, var: Path) -> bool:
    return (entry / "cwd").resolve(strict=True).is_relative_to(var)


def leftovers(var: Path) -> list[Path]:
    """Sockets and files that hold a process's number."""
    return [path for path in var.rglob("*") if path.is_socket() or path.suffix == ".pid" or _holds_number(path)]


def _holds_number(path: Path) -> bool:
    return path.suffix == ".lock" and path.read_text().strip().isdigit()
