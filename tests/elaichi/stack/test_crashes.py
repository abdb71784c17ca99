"""What a kill -9 leaves, and that the next start copes with it."""

import os
import signal
from contextlib import suppress
from pathlib import Path

from elaichi.stack import paths
from elaichi.stack.postgres import database
from tests.elaichi.stack.observe import eventually, processes_of
from tests.elaichi.stack.users import note, notes, user


def _kill(var: Path, mark: str) -> None:
    for pid, command in processes_of(var).items():
        if mark in command:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _with_a_note(text: str) -> None:
    with database() as url:
        note(url, text)


def test_everything_killed_at_once_starts_again_with_its_data(stocked: Path) -> None:
    _with_a_note("kept")
    with user() as someone:
        _kill(stocked, "")
        someone.kill()
    assert eventually(lambda: processes_of(stocked) == {})
    with database() as url:
        assert notes(url) == ["kept"]


def test_a_killed_user_leaves_no_server_behind(stocked: Path) -> None:
    with user() as someone:
        someone.kill()
    assert eventually(lambda: processes_of(stocked) == {})


def test_a_killed_keeper_takes_the_server_along(stocked: Path) -> None:
    with user() as someone:
        _kill(stocked, "stack.keeper")
        assert eventually(lambda: not paths.socket().exists())
        someone.leave()
    assert processes_of(stocked) == {}
    _with_a_note("works again")


def test_a_killed_server_ends_its_keeper_and_the_next_user_gets_a_new_one(stocked: Path) -> None:
    _with_a_note("kept")
    with user():
        _kill(stocked, "/postgres -D")
        assert eventually(lambda: not any("stack.keeper" in command for command in processes_of(stocked).values()))
        with database() as url:
            assert notes(url) == ["kept"]


def test_a_stale_pid_file_that_names_a_living_stranger_is_no_obstacle(stocked: Path) -> None:
    """After a reboot the number of the killed server may belong to any process, for example to this one."""
    _with_a_note("kept")
    lines = [str(os.getpid()), str(paths.data()), "1700000000", "5432", str(paths.sockets()), "", "", "ready"]
    (paths.data() / "postmaster.pid").write_text("\n".join(lines) + "\n")
    (paths.sockets() / f"{paths.socket().name}.lock").write_text("\n".join(lines) + "\n")
    with database() as url:
        assert notes(url) == ["kept"]


def test_a_half_made_data_directory_is_made_anew(var: Path) -> None:
    draft = paths.data().with_name("postgres.new")
    draft.mkdir(parents=True)
    (draft / "PG_VERSION").write_text("15\n")
    _with_a_note("complete")
    assert not draft.exists()
