"""How much memory the process holds, counted by the operating system.

A tracer of Python's allocations would miss what SQLite and other C code hold, and slow everything down.
"""

import ctypes
import gc
import os
import subprocess
from pathlib import Path

_STATM = Path("/proc/self/statm")


def resident_megabytes() -> float:
    """After what is no longer used was given back, as far as the allocator can."""
    gc.collect()
    _trim()
    return _resident_bytes() / 2**20


def _resident_bytes() -> int:
    if _STATM.exists():
        return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    shown = subprocess.run(["ps", "-o", "rss=", "-p", str(os.getpid())], capture_output=True, check=True)
    return int(shown.stdout) * 1024


def _trim() -> None:
    """glibc keeps freed memory for later; other allocators have no such call."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
