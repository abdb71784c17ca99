"""A local PostgreSQL in `var/`, started when somebody needs it and stopped when nobody does.

Whoever needs it holds a shared lock meanwhile. The first one starts it; the last one to leave stops it and
waits until it is down, no matter who started it. A user that is killed lets go of the lock all the same, and
the server's keeper notices.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import quote

from elaichi.stack import paths
from elaichi.stack.errors import DatabaseStartError
from elaichi.stack.keeper import READY
from elaichi.stack.locks import EXCLUSIVE, SHARED, FileLock, held
from elaichi.stack.server import DATABASE, USER

_STOP_SECONDS = 60
_START_SECONDS = 180


def local_database_url() -> str:
    """Where the local database is or would be. Pure: it starts nothing and looks at nothing."""
    return f"postgresql://{USER}@/{DATABASE}?host={quote(str(paths.sockets()), safe='')}"


@contextmanager
def database() -> Iterator[str]:
    """Have the local database run for the length of a block; yields its URL."""
    users = FileLock(paths.locks() / "users.lock")
    try:
        users.wait(SHARED, seconds=_STOP_SECONDS)
        with _one_at_a_time():
            _start_unless_running()
        yield local_database_url()
    finally:
        with _one_at_a_time():
            _leave(users)


@contextmanager
def database_unless_configured() -> Iterator[None]:
    """The same, but only if no `DATABASE_URL` names another one."""
    if os.environ.get("DATABASE_URL"):
        yield
        return
    with database():
        yield


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    with held(paths.locks() / "start.lock", seconds=_START_SECONDS):
        yield


def _start_unless_running() -> None:
    keeper = FileLock(paths.locks() / "keeper.lock")
    try:
        if not keeper.attempt(EXCLUSIVE):
            return
    finally:
        keeper.close()
    _start_keeper()


def _start_keeper() -> None:
    """The keeper forks away from its starter: no user of the server is its parent and takes it along."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "elaichi.stack.keeper"],
        env=os.environ | {"PYTHONPATH": str(paths.CHECKOUT)},
        cwd=paths.CHECKOUT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if (report := done.stdout.strip()) != READY:
        raise DatabaseStartError(f"the local database did not start: {report}")


def _leave(users: FileLock) -> None:
    """Let go of the lock; as the last user stop the server first, holding newcomers back meanwhile."""
    try:
        if users.attempt(EXCLUSIVE):
            _stop()
        else:  # others use it; or the keeper has just seen that nobody does, and lets us in once it is down
            users.wait(SHARED, seconds=_STOP_SECONDS)
    finally:
        users.close()


def _stop() -> None:
    keeper = FileLock(paths.locks() / "keeper.lock")
    try:
        if not keeper.attempt(EXCLUSIVE):
            with suppress(ProcessLookupError, ValueError):
                os.kill(int(keeper.read()), signal.SIGTERM)
            keeper.wait(EXCLUSIVE, seconds=_STOP_SECONDS)
    finally:
        keeper.close()
