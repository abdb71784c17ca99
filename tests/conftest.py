"""Fixtures that every package's tests share."""

import json
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager

import pytest
from django.db.backends.postgresql.operations import DatabaseOperations
from django.test import override_settings
from pytest_django.fixtures import Settings

from accesscontrol.models import Member, Organization, Surface
from connectors.catalog.importer import import_catalog
from connectors.catalog.openapi.reader import read_openapi
from connectors.execution.egress import guarded_transport
from connectors.models import Connector
from elaichi.celery import app as celery
from elaichi.sandbox.document import Document
from elaichi.sandbox.server import running
from tests import cast
from tests.browser import Waited, chromium, launched


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


@pytest.fixture(scope="session", autouse=True)
def _tasks_stay_in_this_process() -> None:
    """What a test commits starts no task in the queue of a local stack that is up."""
    celery.conf.update(broker_url="memory://")


@pytest.fixture(autouse=True)
def _cheap_password_hashes(settings: Settings) -> None:
    """Hashing a password costs 0.2 s by design; the cast is made for nearly every test."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(scope="session", autouse=True)
def _files_are_kept_apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with override_settings(MEDIA_ROOT=tmp_path_factory.mktemp("files")):
        yield


@pytest.fixture(scope="session", autouse=True)
def _emptied_audit_trail() -> Iterator[None]:
    """Lets a test that commits be cleaned up after, by the TRUNCATE that the audit trail refuses to everybody.

    The clean-up does what only a database superuser can, and has no trigger fire in its own transaction. So no way
    around the triggers has to exist for the sake of the tests, and the tests run against those of production.
    """
    flush = DatabaseOperations.execute_sql_flush

    def flush_all(self: DatabaseOperations, sql_list: Iterable[str]) -> None:
        flush(self, ["SET LOCAL session_replication_role = replica", *sql_list])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseOperations, "execute_sql_flush", flush_all)
        yield


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


@pytest.fixture(scope="session")
def browser() -> Iterator[Waited]:
    """Headless Chromium, one for all tests; each makes a context of its own."""
    executable = chromium()
    if executable is None:
        pytest.skip("no Chromium is installed here")
    with launched(executable) as browser:
        yield browser
