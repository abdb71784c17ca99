"""Secrets that are made on first use."""

import subprocess
import sys
from pathlib import Path

from cryptography.fernet import Fernet

from elaichi.stack.secrets import local_secret


def test_a_secret_is_made_once_for_this_user_alone(var: Path) -> None:
    secret = local_secret("one")
    assert local_secret("one") == secret
    assert local_secret("another") != secret
    assert (var / "secrets" / "one").stat().st_mode & 0o777 == 0o600
    assert (var / "secrets").stat().st_mode & 0o777 == 0o700
    assert Fernet(secret).decrypt(Fernet(secret).encrypt(b"text")) == b"text"


def test_processes_that_make_it_at_once_agree(var: Path) -> None:
    code = "from elaichi.stack.secrets import local_secret; print(local_secret('raced'))"
    racers = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(6)]
    assert len({racer.communicate()[0] for racer in racers}) == 1
    assert [path.name for path in (var / "secrets").iterdir()] == ["raced"]
