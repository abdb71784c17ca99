"""Fixtures that every package's tests share."""

import pytest
from pytest_django.fixtures import Settings

from accesscontrol.models import Member, Organization
from tests import cast


@pytest.fixture
def acme(db: None) -> Organization:
    return cast.organization("acme")


@pytest.fixture
def alice(acme: Organization) -> Member:
    return cast.member(acme, "alice", "org-owner", staff=True)


@pytest.fixture
def bob(acme: Organization) -> Member:
    return cast.member(acme, "bob")


@pytest.fixture
def charlie(db: None) -> Member:
    return cast.member(cast.organization("umbrella"), "charlie", "org-owner", staff=True)


@pytest.fixture(autouse=True)
def _cheap_password_hashes(settings: Settings) -> None:
    """Hashing a password costs 0.2 s by design; the cast is made for nearly every test."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
