"""The local PostgreSQL's parent: `python -m elaichi.stack.keeper` starts the server and minds it.

It holds `keeper.lock` for as long as it lives. Everybody who uses the server holds `users.lock` together, so
the keeper gets that lock alone once the last user has gone, also one that was killed; then it stops the
server and ends.
"""

import os
import signal
import subprocess
import sys
from types import FrameType

from elaichi.stack import account, binaries, paths, server
from elaichi.stack.errors import StackError
from elaichi.stack.locks import EXCLUSIVE, FileLock

READY = "ready"
_PREVIOUS_KEEPER_SECONDS = 60


class _OverError(Exception):
    """We were asked to stop, or the server ended by itself."""


def main() -> int:
    """Fork the keeper, then report on standard output: "ready", or in one line why not."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.close(reader)
        _keep(writer)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        report = pipe.read()
    print(report or "the keeper of the database died")
    return 0 if report == READY else 1


def _keep(report: int) -> None:
    status = 1
    try:
        _detach()
        _run(report)
        status = 0
    except (StackError, OSError) as error:
        os.write(report, f"{error} (log: {paths.logs() / 'postgres.log'})".encode())
    finally:
        os._exit(status)


def _detach() -> None:
    """Leave the terminal's process group: its Ctrl-C is for the users, who stop the server themselves."""
    os.setsid()
    paths.logs().mkdir(parents=True, exist_ok=True)
    log = os.open(paths.logs() / "postgres.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(source, target)


def _run(report: int) -> None:
    mine, users = FileLock(paths.locks() / "keeper.lock"), FileLock(paths.locks() / "users.lock")
    mine.wait(EXCLUSIVE, seconds=_PREVIOUS_KEEPER_SECONDS)
    mine.write(str(os.getpid()))
    account.make_private(paths.sockets())
    place = account.give_up_root(binaries.choose(paths.data()))
    server.create_data(place)
    process = server.start(place)
    try:
        os.write(report, READY.encode())
        os.close(report)
        _wait_until_unused(users, process)
    finally:
        server.stop(process)
        mine.write("")


def _wait_until_unused(users: FileLock, process: subprocess.Popen[bytes]) -> None:
    def wake(number: int, frame: FrameType | None) -> None:
        if number == signal.SIGTERM or process.poll() is not None:
            raise _OverError

    try:
        signal.signal(signal.SIGTERM, wake)
        signal.signal(signal.SIGCHLD, wake)
        wake(signal.SIGCHLD, None)
        users.wait_forever(EXCLUSIVE)
    except _OverError:
        pass
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)


if __name__ == "__main__":
    sys.exit(main())
