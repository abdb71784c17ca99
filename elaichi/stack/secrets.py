"""Secrets of the local stack: made once, kept in `var/secrets` for this user alone."""

import base64
import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path

from elaichi.stack import paths


def local_secret(name: str) -> str:
    """The secret of that name, made on first use: 32 random bytes in URL-safe base64, as Fernet wants."""
    path = paths.var() / "secrets" / name
    with suppress(FileNotFoundError):
        return path.read_text()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    _create_once(path, base64.urlsafe_b64encode(secrets.token_bytes(32)).decode())
    return path.read_text()


def is_local_secret(name: str, value: str) -> bool:
    """Whether a value is the one that `local_secret` made; makes none."""
    try:
        return hmac.compare_digest((paths.var() / "secrets" / name).read_text().encode(), value.encode())
    except OSError:
        return False


def _create_once(path: Path, text: str) -> None:
    """Write a whole private file, or leave the one that another process made meanwhile.

    A hard link either appears complete or fails, so no reader sees half a secret and no two processes keep
    two.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(text)
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink()
