"""An in-process cache that cannot serve what a later commit has changed.

Each value is kept with its organization's version. The version is read from the database when a request is
authenticated, so a request that begins after a commit asks with the new version and never meets an old value, in any
process. A value built while a commit happened may already show it; that is harmless, since it is newer than asked.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock


class VersionedCache[ValueT]:
    """Holds the newest value of each key, at most `size` of them, least recently used first to go."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: OrderedDict[Hashable, tuple[int, ValueT]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, version: int, build: Callable[[], ValueT]) -> ValueT:
        """The value at exactly this version; built outside the lock, so that one slow build stops nobody else."""
        with self._lock:
            held = self._entries.get(key)
            if held is not None and held[0] == version:
                self._entries.move_to_end(key)
                return held[1]
        value = build()
        with self._lock:
            held = self._entries.get(key)
            if held is None or held[0] <= version:
                self._entries[key] = (version, value)
                self._entries.move_to_end(key)
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)
        return value

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()
