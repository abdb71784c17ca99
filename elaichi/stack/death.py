"""Ties a child's life to its parent's, so that a kill -9 of the parent leaves nothing behind."""

import ctypes
import signal
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1


def signal_when_parent_dies(number: signal.Signals) -> Callable[[], None]:
    """A `preexec_fn`: the child gets that signal once its parent is gone (on Linux; elsewhere nothing).

    The library is loaded here, before the fork: after it only the system call itself is safe.
    """
    if sys.platform != "linux":
        return lambda: None
    libc = ctypes.CDLL(None)

    def tie() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)

    return tie
