"""Fixtures that every package's tests share."""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from pytest_django.fixtures import Settings

from accesscontrol.models import Member, Organization, Surface
from connectors.catalog.importer import import_catalog
from connectors.catalog.openapi.reader import read_openapi
from connectors.execution.egress import guarded_transport
from connectors.models import Connector
from elaichi.sandbox.document import Document
from elaichi.sandbox.server import running
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


@contextmanager
def reachable(settings: Settings, authority: str) -> Iterator[None]:
    """Lets outbound calls through to a local server, and hangs up on it in the end."""
    settings.EGRESS_ALLOWED = [authority]
    with closing(guarded_transport(settings.EGRESS_ALLOWED)):
        yield


@pytest.fixture
def sandbox(settings: Settings) -> Iterator[str]:
    """A real upstream on a free port, which outbound calls may reach; yields its URL."""
    with running() as url, reachable(settings, url.removeprefix("http://")):
        yield url


@pytest.fixture
def deskline(sandbox: str, bob: Member) -> Connector:
    """Bob's account at the sandbox's support desk."""
    catalog = read_openapi(json.dumps(Document("deskline", sandbox).content).encode(), source="deskline.json")
    import_catalog(
        organization=bob.organization, catalog=catalog, slug="deskline", label="Deskline", surface=Surface.SYSTEM
    )
    connector = Connector.objects.get(organization=bob.organization, slug="deskline")
    cast.connection(bob, connector, "Acme", credential={"token": "demo-deskline-acme"})
    return connector
