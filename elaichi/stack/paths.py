"""Where the local stack keeps things. Pure: settings import this before anything exists on disk."""

import hashlib
import os
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]

# A Unix socket's address holds 108 bytes on Linux and 104 on macOS; PostgreSQL appends a name to the
# directory.
_LONGEST_SOCKET_PATH = 100
_SOCKET_NAME = ".s.PGSQL.5432"


def var() -> Path:
    """The folder of everything that the local stack writes: `var/` of the checkout, or `ELAICHI_VAR`."""
    return Path(os.environ.get("ELAICHI_VAR") or CHECKOUT / "var").absolute()


def checkout_id() -> str:
    """A short name for this `var/`: what must live elsewhere must not collide with another checkout's."""
    return hashlib.sha256(os.fsencode(var())).hexdigest()[:16]


def data() -> Path:
    return var() / "postgres"


def logs() -> Path:
    return var() / "log"


def broker() -> Path:
    """The task queue's folder. Its transport does not create it, so whoever starts a process here does."""
    return var() / "broker"


def locks() -> Path:
    return var() / "lock"


def sockets() -> Path:
    """The directory of PostgreSQL's socket: in `var/`, unless that path is too long for a socket's address.

    Then it is a private directory in /tmp. Not `$TMPDIR`: two shells of one person may differ in it, and
    both have to find the same server.
    """
    inside = var() / "run"
    if len(os.fsencode(inside / _SOCKET_NAME)) <= _LONGEST_SOCKET_PATH:
        return inside
    return Path("/tmp") / f"elaichi-{os.geteuid()}-{checkout_id()}"


def socket() -> Path:
    return sockets() / _SOCKET_NAME
