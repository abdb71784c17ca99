"""One PostgreSQL server process: makes its data directory, starts it, waits for it, stops it."""

import os
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from elaichi.stack.account import Place
from elaichi.stack.death import signal_when_parent_dies
from elaichi.stack.errors import DatabaseStartError

DATABASE = USER = "elaichi"
_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}
_PAUSE = 0.02
_START_SECONDS = 120  # a server that was killed first replays its log
_FAST_STOP, _IMMEDIATE_STOP = (signal.SIGINT, 20), (signal.SIGQUIT, 5)

# Small enough to run unnoticed beside everything else on a laptop. Durability (fsync) is left on.
_SETTINGS = {
    "listen_addresses": "",
    "port": "5432",
    "unix_socket_permissions": "0700",
    "max_connections": "100",
    "shared_buffers": "64MB",
    "max_wal_size": "256MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
}


def create_data(place: Place) -> None:
    """Make the cluster and its one database, complete or not at all."""
    if place.data.exists():
        return
    draft = place.data.with_name(place.data.name + ".new")
    shutil.rmtree(draft, ignore_errors=True)
    initdb, postgres = place.binaries.initdb, place.binaries.postgres
    _run(initdb, "--pgdata", str(draft), "--no-sync", *_initdb_options(place.binaries.major))
    _run(postgres, "--single", "-D", str(draft), "-F", "postgres", text=f"CREATE DATABASE {DATABASE};\n")
    _run(initdb, "--pgdata", str(draft), "--sync-only")  # once, instead of at each step
    draft.rename(place.data)


def _initdb_options(major: int) -> list[str]:
    """Order by codepoint on every machine, and still know the letter case of all of Unicode."""
    builtin = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
    locale = builtin if major >= 17 else ["--locale=C.UTF-8"]
    return ["--username", USER, "--encoding=UTF8", *locale, "--auth-local=trust", "--auth-host=reject"]


def _run(*command: str, text: str = "") -> None:
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, env=_ENVIRONMENT, cwd="/")
    if done.returncode:
        last_line = (done.stderr.strip() or done.stdout.strip()).rpartition("\n")[2]
        raise DatabaseStartError(f"{Path(command[0]).name} failed: {last_line}")


def start(place: Place) -> subprocess.Popen[bytes]:
    """Start the server and return once it accepts connections."""
    _clear_leftovers(place)
    process = subprocess.Popen(
        [place.binaries.postgres, "-D", str(place.data), *_options(place.sockets)],
        env=_ENVIRONMENT,
        cwd="/",
        stdin=subprocess.DEVNULL,
        preexec_fn=signal_when_parent_dies(signal.SIGINT),
    )
    try:
        _wait_until_ready(place, process)
    except BaseException:
        stop(process)
        raise
    return process


def _options(sockets: Path) -> list[str]:
    quoted = str(sockets).replace('"', '""')
    settings = _SETTINGS | {"unix_socket_directories": f'"{quoted}"'}
    return [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]


def _wait_until_ready(place: Place, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while not _is_ready(place.data, process.pid):
        if process.poll() is not None:
            raise DatabaseStartError(f"PostgreSQL ended with exit code {process.returncode}")
        if time.monotonic() > deadline:
            raise DatabaseStartError(f"PostgreSQL did not answer within {_START_SECONDS} s")
        time.sleep(_PAUSE)


def _is_ready(data: Path, pid: int) -> bool:
    """The server keeps its state in the eighth line of its pid file, which is what pg_ctl reads, too."""
    try:
        lines = (data / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return False
    return len(lines) >= 8 and lines[0] == str(pid) and lines[7].strip() == "ready"


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ask for a clean stop, then for a quick one; data survives either, and a kill as well."""
    for number, seconds in (_FAST_STOP, _IMMEDIATE_STOP):
        process.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
            return
    process.kill()
    process.wait()


def _clear_leftovers(place: Place) -> None:
    """Remove the pid and lock files of a server that was killed.

    PostgreSQL takes them for another server's when their number has meanwhile gone to any other process, as
    happens after a reboot and in containers. No other keeper runs (its lock is ours), so what is left to
    find is an orphaned server.
    """
    if orphan := _orphan(place.data):
        _end(orphan)
    (place.data / "postmaster.pid").unlink(missing_ok=True)
    for leftover in place.sockets.glob(".s.PGSQL.*"):
        leftover.unlink()


def _orphan(data: Path) -> int | None:
    """The number of a living server on this data, whose working directory is always its data directory."""
    with suppress(OSError, ValueError, IndexError):
        pid = int((data / "postmaster.pid").read_text().splitlines()[0])
        if Path(f"/proc/{pid}/cwd").resolve(strict=True) == data.resolve():
            return pid
    return None


def _end(pid: int) -> None:
    deadline = time.monotonic() + _FAST_STOP[1]
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGINT)
        while time.monotonic() < deadline:
            os.kill(pid, 0)
            time.sleep(_PAUSE)
        raise DatabaseStartError(f"an older PostgreSQL (process {pid}) does not stop: kill it and try again")
