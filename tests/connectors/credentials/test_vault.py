"""Credentials under keys of their own."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from connectors.credentials.vault import CredentialUnreadable, decrypt, encrypt, rotate

CREDENTIAL = {"token": "canary", "nested": {"ü": [1, None]}}


@pytest.mark.parametrize("key", ["short", "a passphrase, with punctuation ü", "x" * 1000])
def test_any_secret_serves_as_a_key(settings: Settings, key: str) -> None:
    settings.CREDENTIAL_KEYS = [key]
    ciphertext = encrypt(CREDENTIAL)
    assert ciphertext.isascii()
    assert "canary" not in ciphertext
    assert decrypt(ciphertext) == CREDENTIAL


def test_the_first_key_encrypts_and_every_key_decrypts(settings: Settings) -> None:
    settings.CREDENTIAL_KEYS = ["old"]
    before = encrypt(CREDENTIAL)
    settings.CREDENTIAL_KEYS = ["new", "old"]
    assert decrypt(before) == CREDENTIAL
    after = encrypt(CREDENTIAL)
    settings.CREDENTIAL_KEYS = ["new"]
    assert decrypt(after) == CREDENTIAL


def test_a_rotated_credential_needs_the_old_key_no_more(settings: Settings) -> None:
    settings.CREDENTIAL_KEYS = ["old"]
    before = encrypt(CREDENTIAL)
    settings.CREDENTIAL_KEYS = ["new", "old"]
    after = rotate(before)
    settings.CREDENTIAL_KEYS = ["new"]
    assert decrypt(after) == CREDENTIAL
    with pytest.raises(CredentialUnreadable):
        rotate(before)


@pytest.mark.parametrize("change", [lambda c: c[:-4] + "AAA=", lambda c: "", lambda c: "ü", lambda c: c[:20]])
def test_what_no_key_opens_says_what_to_do_and_nothing_else(change: object) -> None:
    assert callable(change)
    with pytest.raises(CredentialUnreadable, match="connect the account again") as caught:
        decrypt(change(encrypt(CREDENTIAL)))
    assert caught.value.__suppress_context__


def test_a_lost_key_is_told(settings: Settings) -> None:
    ciphertext = encrypt(CREDENTIAL)
    settings.CREDENTIAL_KEYS = ["another"]
    with pytest.raises(CredentialUnreadable):
        decrypt(ciphertext)


@pytest.mark.parametrize("keys", [[], [""], ["good", ""]])
def test_without_a_usable_key_nothing_is_encrypted(settings: Settings, keys: list[str]) -> None:
    settings.CREDENTIAL_KEYS = keys
    with pytest.raises(ImproperlyConfigured, match="CREDENTIAL_KEYS"):
        encrypt(CREDENTIAL)
