"""Encrypts account credentials under keys of their own, apart from Django's SECRET_KEY.

`settings.CREDENTIAL_KEYS` lists secrets, any strings, newest first: the first encrypts, all of them decrypt.
So a key is replaced by putting the new one in front, rotating every ciphertext, and dropping the old one.
"""

import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured


class CredentialUnreadable(Exception):
    """No configured key opens this credential."""

    def __init__(self) -> None:
        super().__init__(
            "None of the configured CREDENTIAL_KEYS opens this credential: bring the lost key back, or "
            "connect the account again."
        )


def encrypt(value: Mapping[str, Any]) -> str:
    """The value as JSON, encrypted with the first key: a Fernet token (ASCII)."""
    return _fernet().encrypt(json.dumps(dict(value)).encode()).decode("ascii")


def decrypt(ciphertext: str) -> dict[str, Any]:
    """The inverse of `encrypt`, with any of the keys. Raises CredentialUnreadable."""
    try:
        value = json.loads(_fernet().decrypt(ciphertext.encode()))
    except (InvalidToken, ValueError):
        # The cause would carry the ciphertext into logs and crash pages.
        raise CredentialUnreadable from None
    if not isinstance(value, dict):
        raise CredentialUnreadable
    return value


def rotate(ciphertext: str) -> str:
    """The same value under the first key. Raises CredentialUnreadable."""
    try:
        return _fernet().rotate(ciphertext.encode()).decode("ascii")
    except (InvalidToken, ValueError):
        raise CredentialUnreadable from None


def _fernet() -> MultiFernet:
    # Read at each use, not at import: the settings may change under a test or a rotation.
    return _fernet_for(tuple(settings.CREDENTIAL_KEYS))


@lru_cache(maxsize=8)
def _fernet_for(secrets: tuple[str, ...]) -> MultiFernet:
    if not secrets or not all(secrets):
        raise ImproperlyConfigured("Set CREDENTIAL_KEYS to at least one secret; none of them may be empty.")
    return MultiFernet([Fernet(_derive_key(secret)) for secret in secrets])


def _derive_key(secret: str) -> bytes:
    """A Fernet key out of a secret of any length and alphabet (HKDF, RFC 5869).

    HKDF does not slow down guessing, so the secrets must be long and random, as generated ones are.
    """
    kdf = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"elaichi credential encryption v1")
    return urlsafe_b64encode(kdf.derive(secret.encode()))
