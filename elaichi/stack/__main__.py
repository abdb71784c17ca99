"""What `./run manage`, `./run test` and `./run up` start: the command, with the local database around it."""

import itertools
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from elaichi.stack import paths
from elaichi.stack.errors import StackError
from elaichi.stack.locks import EXCLUSIVE, FileLock
from elaichi.stack.postgres import database_unless_configured


def main(arguments: list[str]) -> int:
    verb, rest = arguments[0], arguments[1:]
    signal.signal(signal.SIGTERM, _end)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "elaichi.settings")
    paths.broker().mkdir(parents=True, exist_ok=True)
    try:
        return _VERBS[verb](rest)
    except StackError as error:
        print(f"elaichi: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _end(number: int, frame: FrameType | None) -> None:
    """Unwind as for Ctrl-C, so that the database is let go of."""
    sys.exit(128 + number)


def _manage(arguments: list[str]) -> int:
    from django.core.management import execute_from_command_line  # only now: it takes its time

    with database_unless_configured():
        execute_from_command_line(["manage.py", *arguments])
    return 0


def _up(arguments: list[str]) -> int:
    """Without the database: `up` starts it when it knows that it can start everything else."""
    from django.core.management import execute_from_command_line

    execute_from_command_line(["manage.py", "up", *arguments])
    return 0


def _test(arguments: list[str]) -> int:
    import pytest

    os.chdir(paths.CHECKOUT)
    # What tests write need not survive a power cut.
    os.environ.setdefault("PGOPTIONS", "-c synchronous_commit=off")
    with database_unless_configured(), _own_test_database() as name:
        os.environ.setdefault("TEST_DATABASE", name)
        # The whole suite uses every core; tests move to the process that is free.
        return int(pytest.main(arguments or ["--numprocesses=auto", "--dist=worksteal"]))


@contextmanager
def _own_test_database() -> Iterator[str]:
    """A name that no other test run of this checkout uses now, and that a later one takes over."""
    for number in itertools.count(1):
        lock = FileLock(paths.locks() / f"test-{number}.lock")
        try:
            if lock.attempt(EXCLUSIVE):
                yield f"test_elaichi_{number}"
                return
        finally:
            lock.close()


_VERBS: dict[str, Callable[[list[str]], int]] = {"manage": _manage, "test": _test, "up": _up}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
