"""The `run` script, in a small checkout of its own whose installers only say what they were asked to do."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from elaichi.stack.paths import CHECKOUT

type Run = Callable[..., subprocess.CompletedProcess[str]]

# What the real package would do is tested elsewhere; here it shows how it was called.
_STACK = """
import os, sys
print(os.getcwd(), sys.argv[1:])
sys.exit(3)
"""
# An installer that makes the environment's Python and writes down its arguments.
_UV = f"""#!/bin/sh
mkdir -p "$UV_PROJECT_ENVIRONMENT/bin"
echo "$@" >>"$UV_PROJECT_ENVIRONMENT/../uv-calls"
ln -sf "{sys.executable}" "$UV_PROJECT_ENVIRONMENT/bin/python"
"""
_BROKEN_SHIM = "#!/bin/sh\necho 'pyenv: python3.13: command not found' >&2\nexit 127\n"
_OLD = "#!/bin/sh\necho\n"
_NEW = f'#!/bin/sh\nexec "{sys.executable}" "$@"\n'
_WITHOUT_VENV = f"""#!/bin/sh
case $2 in
*ensurepip*) exit 1 ;;
*sys.executable*) echo "$0" ;;
*) exec "{sys.executable}" "$@" ;;
esac
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path / "check out"
    (folder / "elaichi" / "stack").mkdir(parents=True)
    (folder / "elaichi" / "stack" / "__main__.py").write_text(_STACK)
    (folder / "uv.lock").write_text("one")
    (folder / "requirements.lock").write_text("")
    shutil.copy(CHECKOUT / "run", folder)
    (folder / "path").mkdir()
    return folder


@pytest.fixture
def run(checkout: Path) -> Run:
    environment = {"PATH": f"{checkout / 'path'}:{os.defpath}", "HOME": str(checkout)}

    def call(*arguments: str, cwd: Path = checkout, **extra: str) -> subprocess.CompletedProcess[str]:
        command = [str(checkout / "run"), *arguments]
        return subprocess.run(command, env=environment | extra, cwd=cwd, capture_output=True, text=True, check=False)

    return call


def _program(checkout: Path, name: str, text: str) -> None:
    path = checkout / "path" / name
    path.write_text(text)
    path.chmod(0o755)


def _uv_calls(checkout: Path) -> list[str]:
    return (checkout / "uv-calls").read_text().splitlines()


def test_the_commands_output_and_exit_code_are_passed_on_alone(checkout: Path, run: Run, tmp_path: Path) -> None:
    _program(checkout, "uv", _UV)
    done = run("manage", "search", "two words", cwd=tmp_path, PYTHON=sys.executable)
    assert done.returncode == 3
    assert done.stdout == f"{tmp_path} ['manage', 'search', 'two words']\n"
    assert done.stderr == "elaichi: installing with uv (runtime)\n"


def test_a_candidate_that_does_not_run_or_is_too_old_is_passed_over(checkout: Path, run: Run) -> None:
    _program(checkout, "uv", _UV)
    _program(checkout, "python3.13", _BROKEN_SHIM)
    _program(checkout, "python3.14", _OLD)
    _program(checkout, "python3.12", _NEW)
    run("up", PYTHON="/nowhere/python")
    assert f"--python {sys.executable}" in _uv_calls(checkout)[0]


def test_a_python_of_pyenv_is_found_without_being_on_the_path(checkout: Path, run: Run) -> None:
    _program(checkout, "uv", _UV)
    for name in ("python3.13", "python3.14", "python3.12", "python3"):
        _program(checkout, name, _BROKEN_SHIM)
    bin_folder = checkout / ".pyenv" / "versions" / "3.13.0" / "bin"
    bin_folder.mkdir(parents=True)
    (bin_folder / "python").symlink_to(sys.executable)
    run("up")
    assert len(_uv_calls(checkout)) == 1


def test_it_installs_again_only_when_the_lock_or_the_wanted_part_changes(checkout: Path, run: Run) -> None:
    _program(checkout, "uv", _UV)
    for command in ("up", "manage", "test", "test", "manage"):
        run(command, PYTHON=sys.executable)
    (checkout / "uv.lock").write_text("two")
    run("manage", PYTHON=sys.executable)
    parts = ["dev" if "--group dev" in call else "runtime" for call in _uv_calls(checkout)]
    assert parts == ["runtime", "dev", "dev"]


def test_an_installation_that_failed_runs_nothing_and_is_tried_again(checkout: Path, run: Run) -> None:
    _program(checkout, "uv", _UV + "exit 2\n")
    done = run("manage", "check", PYTHON=sys.executable)
    assert (done.returncode, done.stdout) == (2, "")
    _program(checkout, "uv", _UV)
    assert run("manage", "check", PYTHON=sys.executable).returncode == 3


def test_a_python_without_venv_is_told_which_package_brings_it(checkout: Path, run: Run) -> None:
    _program(checkout, "python", _WITHOUT_VENV)
    done = run("up", PYTHON=str(checkout / "path" / "python"))
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        f"elaichi: Python {version} has no venv module: install it (Debian: apt install python{version}-venv)"
    )


def test_an_unknown_command_gets_the_list_of_commands(run: Run) -> None:
    done = run("dance")
    assert (done.returncode, done.stdout) == (1, "")
    assert "usage: ./run COMMAND" in done.stderr
    assert run("help").stdout == run().stdout
