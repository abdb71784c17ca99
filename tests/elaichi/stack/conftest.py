"""A `var/` of its own for each test."""

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from elaichi.stack import paths
from elaichi.stack.postgres import database
from tests.elaichi.stack.observe import processes_of


@pytest.fixture(scope="session")
def made_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory as the first start makes it. Making one takes longer than everything else here."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("ELAICHI_POSTGRES", raising=False)
        patch.setenv("ELAICHI_VAR", str(folder))
        with database():
            pass
        return paths.data()


@pytest.fixture
def stocked(var: Path, made_data: Path) -> Path:
    """A `var/` in which the database has been before."""
    shutil.copytree(made_data, paths.data())
    return var


@pytest.fixture
def var(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.delenv("ELAICHI_POSTGRES", raising=False)
    yield from at(tmp_path / "var", monkeypatch)


def at(var: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Have the local stack live in that folder; whatever a failed test left running there is ended."""
    monkeypatch.setenv("ELAICHI_VAR", str(var))
    sockets = paths.sockets()
    yield var
    for pid in processes_of(var):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    if not sockets.is_relative_to(var):
        shutil.rmtree(sockets, ignore_errors=True)
