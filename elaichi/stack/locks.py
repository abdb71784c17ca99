"""Advisory file locks: the kernel lets go of them when their holder dies, however it dies."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from elaichi.stack.errors import DatabaseStartError

SHARED, EXCLUSIVE = fcntl.LOCK_SH, fcntl.LOCK_EX
_PAUSE = 0.02


class FileLock:
    """One open lock file. Two of these exclude each other, also within one process."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)

    def attempt(self, mode: int) -> bool:
        """Take the lock, or change its mode, if that needs no waiting.

        The kernel changes a mode by letting go first, so after a False nothing is held.
        """
        try:
            fcntl.flock(self._descriptor, mode | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def wait(self, mode: int, *, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not self.attempt(mode):
            if time.monotonic() > deadline:
                raise DatabaseStartError(f"{self.path} is still locked after {seconds:.0f} s: is a process stuck?")
            time.sleep(_PAUSE)

    def wait_forever(self, mode: int) -> None:
        fcntl.flock(self._descriptor, mode)

    def read(self) -> str:
        return os.pread(self._descriptor, 64, 0).decode()

    def write(self, text: str) -> None:
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, text.encode(), 0)

    def close(self) -> None:
        os.close(self._descriptor)


@contextmanager
def held(path: Path, *, seconds: float) -> Iterator[None]:
    """Hold the lock alone for the length of a block."""
    lock = FileLock(path)
    try:
        lock.wait(EXCLUSIVE, seconds=seconds)
        yield
    finally:
        lock.close()
