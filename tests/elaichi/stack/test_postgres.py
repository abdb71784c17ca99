"""The local PostgreSQL: who starts it, who stops it, where it lives."""

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from elaichi.stack import account, binaries, paths
from elaichi.stack.binaries import choose
from elaichi.stack.errors import DatabaseStartError, DataVersionError, NoPostgresError
from elaichi.stack.postgres import database, database_unless_configured, local_database_url
from tests.elaichi.stack.conftest import at
from tests.elaichi.stack.observe import eventually, leftovers, processes_of
from tests.elaichi.stack.users import User, note, notes, setting, user

_HAS_SYSTEM_POSTGRES = any(Path("/usr/lib/postgresql").glob("*/bin/postgres")) or shutil.which("pg_config")
_needs_system_postgres = pytest.mark.skipif(not _HAS_SYSTEM_POSTGRES, reason="no PostgreSQL package is installed")
_needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")


def test_it_runs_for_the_length_of_a_block_and_keeps_its_data(stocked: Path) -> None:
    with database() as url:
        note(url, "first")
        assert setting(url, "fsync") == "on"
        assert setting(url, "listen_addresses") == ""
    assert processes_of(stocked) == {}
    assert leftovers(stocked) == []
    with database() as url:
        assert notes(url) == ["first"]


@pytest.mark.parametrize("source", [pytest.param("system", marks=_needs_system_postgres), "wheel"])
def test_each_source_of_binaries_serves_what_it_made(var: Path, monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    monkeypatch.setenv("ELAICHI_POSTGRES", source)
    with database() as url:
        note(url, source)
        version = setting(url, "server_version_num")
    monkeypatch.delenv("ELAICHI_POSTGRES")
    with database() as url:
        assert notes(url) == [source]
        assert setting(url, "server_version_num") == version


def test_data_of_a_version_that_is_not_here_is_left_alone_and_named(var: Path) -> None:
    paths.data().mkdir(parents=True)
    (paths.data() / "PG_VERSION").write_text("14\n")
    with pytest.raises(DataVersionError, match=r"was made by PostgreSQL 14 and only .* is here: install PostgreSQL 14"):
        choose(paths.data())
    with pytest.raises(DatabaseStartError, match="install PostgreSQL 14"), database():
        pass


def test_a_machine_without_postgresql_is_told_what_to_install(var: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries, "OLDEST_MAJOR", 99)
    with pytest.raises(NoPostgresError, match=r"apt install postgresql.* or set DATABASE_URL"):
        choose(paths.data())


def test_a_misspelt_source_is_refused(var: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELAICHI_POSTGRES", "docker")
    with pytest.raises(NoPostgresError, match="system or wheel"):
        choose(paths.data())


def test_another_database_makes_ours_unnecessary(var: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://db.example/elaichi")
    with database_unless_configured():
        assert not var.exists()


def test_the_last_user_to_leave_stops_it(stocked: Path) -> None:
    with database() as url, user() as other:
        note(url, "shared")
        assert other.leave() == 0
        assert notes(url) == ["shared"]
    assert processes_of(stocked) == {}


def test_whoever_started_it_may_leave_first(stocked: Path) -> None:
    with user() as starter, database() as url:
        assert starter.leave() == 0
        note(url, "still here")
    assert processes_of(stocked) == {}


def test_users_that_start_at_once_share_one_server(stocked: Path) -> None:
    users = [User() for _ in range(4)]
    for someone in users:
        assert someone.is_in()
    servers = [command for command in processes_of(stocked).values() if "/postgres -D" in command]
    assert len(servers) == 1
    leaving = [threading.Thread(target=someone.leave) for someone in users]
    for thread in leaving:
        thread.start()
    for thread in leaving:
        thread.join()
    assert [someone.process.returncode for someone in users] == [0, 0, 0, 0]
    assert processes_of(stocked) == {}


def test_two_checkouts_do_not_meet(
    stocked: Path, made_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database() as first:
        note(first, "first")
        with monkeypatch.context() as elsewhere:
            elsewhere.setenv("ELAICHI_VAR", str(tmp_path / "other"))
            shutil.copytree(made_data, paths.data())
            with database() as second:
                note(second, "second")
                assert (notes(first), notes(second)) == (["first"], ["second"])


@pytest.fixture(params=["far/" * 30 + "away", 'with a space, "quotes" and 100%'])
def awkward(
    request: pytest.FixtureRequest, made_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    var = tmp_path / request.param
    shutil.copytree(made_data, var / "postgres")
    yield from at(var, monkeypatch)


def test_an_awkward_path_serves_all_the_same(awkward: Path) -> None:
    with database() as url:
        note(url, "here")
        assert notes(url) == ["here"]
        assert paths.sockets().stat().st_mode & 0o777 == 0o700
    assert processes_of(awkward) == {}


def test_the_address_is_known_before_anything_exists(var: Path) -> None:
    assert "host=" in local_database_url()
    assert not var.exists()


@_needs_root
def test_a_socket_directory_of_somebody_else_is_refused(var: Path) -> None:
    paths.sockets().mkdir(parents=True)
    os.chown(paths.sockets(), 65534, 65534)
    with pytest.raises(DatabaseStartError, match="belongs to another user"), database():
        pass


@_needs_root
def test_root_without_namespaces_lets_nobody_serve(var: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELAICHI_POSTGRES", "wheel")
    var.mkdir()
    folder = account.settle_with_nobody(choose(paths.data())).data.parent
    try:
        with database() as url:
            note(url, "nobody's")
            assert paths.data().stat().st_uid == 65534
        with database() as url:
            assert notes(url) == ["nobody's"]
        assert not eventually(lambda: processes_of(folder) != {}, seconds=0)
    finally:
        shutil.rmtree(folder)
