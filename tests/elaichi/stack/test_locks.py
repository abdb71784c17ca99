"""The lists for pip say the same as uv.lock and pyproject.toml; `./run lock` writes all of them."""

import re
import tomllib
from pathlib import Path

import pytest

from elaichi.stack.paths import CHECKOUT


def _pinned(name: str) -> dict[str, tuple[str, frozenset[str]]]:
    """Version and hashes by package."""
    found = {}
    for entry in re.split(r"\n(?=\S)", Path(CHECKOUT, name).read_text()):
        if pin := re.match(r"([\w.-]+)(?:\[[^]]*])?==([^\s;]+)", entry):
            found[pin[1]] = pin[2], frozenset(re.findall(r"sha256:[0-9a-f]{64}", entry))
    return found


def _locked() -> dict[str, tuple[str, frozenset[str]]]:
    content = tomllib.loads((CHECKOUT / "uv.lock").read_text())
    return {
        package["name"]: (
            package["version"],
            frozenset(file["hash"] for file in [*package.get("wheels", []), package.get("sdist", {})] if file),
        )
        for package in content["package"]
        if package["name"] != "elaichi"
    }


def _wanted(*groups: str) -> set[str]:
    """The names of direct dependencies, those of the groups included."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
    named = [*project["project"]["dependencies"]]
    for group in groups:
        named += [entry for entry in project["dependency-groups"][group] if isinstance(entry, str)]
    return {re.split(r"[\[>=<~ ;]", entry)[0].lower() for entry in named}


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_each_pin_is_the_one_of_uv_lock(name: str) -> None:
    locked = _locked()
    assert {package: pin for package, pin in _pinned(name).items() if locked.get(package) != pin} == {}


def test_every_direct_dependency_is_pinned() -> None:
    assert _wanted() <= _pinned("requirements.lock").keys()
    assert _wanted("test", "lint", "peers") <= _pinned("requirements-dev.lock").keys()
    assert _pinned("requirements-dev.lock").keys() == _locked().keys()
