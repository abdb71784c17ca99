"""The gateway as it is served: a gunicorn process of its own over the test database, and a sandbox upstream."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import quote

import httpx2
import pytest
from django.db import connection

from accesscontrol.models import Member, Surface
from connectors.catalog.importer import import_catalog
from connectors.catalog.openapi.reader import read_openapi
from connectors.models import Connector
from elaichi.sandbox.document import Document
from elaichi.sandbox.server import running
from tests import cast


@dataclass(frozen=True)
class Gateway:
    url: str
    sandbox: str
    log: Path

    @property
    def mcp(self) -> str:
        return f"{self.url}/mcp"


class Serve(Protocol):
    def __call__(self, sandbox: str, application: str = "elaichi.wsgi") -> Gateway: ...


def database_url() -> str:
    """Where the tests' own database is, for another process."""
    parameters = connection.get_connection_params()
    known = {
        key: quote(str(parameters[key]), safe="") for key in ("user", "password", "host", "port") if key in parameters
    }
    query = "&".join(f"{key}={value}" for key, value in known.items() if key in ("host", "port"))
    login = ":".join(known[key] for key in ("user", "password") if key in known)
    return f"postgresql://{login}@/{parameters['dbname']}?{query}"


@pytest.fixture(scope="session")
def serve(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """Starts web processes that may reach the given sandbox; all of them end with the session."""
    started: list[subprocess.Popen[bytes]] = []

    def start(sandbox: str, application: str = "elaichi.wsgi") -> Gateway:
        listener = socket.create_server(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        log = tmp_path_factory.mktemp("gateway") / "web.log"
        started.append(_gunicorn(listener, url, sandbox, log, application))
        listener.close()
        _wait_for(f"{url}/healthz", started[-1], log)
        return Gateway(url, sandbox, log)

    yield start
    for process in started:
        process.terminate()
        process.wait(20)


@pytest.fixture(scope="session")
def sandbox_url() -> Iterator[str]:
    with running() as url:
        yield url


@pytest.fixture(scope="session")
def shared_gateway(serve: Serve, sandbox_url: str) -> Gateway:
    return serve(sandbox_url)


@pytest.fixture(scope="session")
def second_gateway(serve: Serve, sandbox_url: str) -> Gateway:
    """Another web process over the same database, with caches of its own."""
    return serve(sandbox_url)


@pytest.fixture
def gateway(shared_gateway: Gateway, transactional_db: None) -> Gateway:
    """The running gateway, with an empty database that the test fills and both see."""
    return shared_gateway


@pytest.fixture
def dora(gateway: Gateway) -> Member:
    """A member with an account at the sandbox's support desk and one at its books."""
    dora = cast.member(cast.organization("acme"), "dora")
    for product, credential in (
        ("deskline", {"token": "demo-deskline-acme"}),
        ("ledgerbox", {"key": "demo-ledgerbox-acme"}),
    ):
        document = Document(product, gateway.sandbox)
        catalog = read_openapi(json.dumps(document.content).encode(), source=f"{product}.json")
        import_catalog(
            organization=dora.organization,
            catalog=catalog,
            slug=product,
            label=document.title,
            surface=Surface.SYSTEM,
        )
        cast.connection(dora, Connector.objects.get(slug=product), "Acme", credential=credential)
    return dora


def _gunicorn(listener: socket.socket, url: str, sandbox: str, log: Path, application: str) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "DEBUG": "1",
        "MCP_REQUESTS_PER_MINUTE": "0",
        "DATABASE_URL": database_url(),
        "PUBLIC_URL": url,
        "EGRESS_ALLOWED": sandbox.removeprefix("http://"),
    }
    bind = f"--bind=fd://{listener.fileno()}"
    with log.open("wb") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "gunicorn", "--config=python:elaichi.gunicorn", bind, application],
            env=environment,
            pass_fds=[listener.fileno()],
            stdout=output,
            stderr=subprocess.STDOUT,
        )


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx2.get(url, timeout=1).status_code == 200:
                return
        except httpx2.TransportError:
            continue
    raise AssertionError(f"the web process did not answer: {log.read_text()[-2000:]}")
