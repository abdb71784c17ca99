"""MCP servers that outbound calls may reach, and Bob, who has an account at one."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache

from tests.conftest import reachable
from tests.connectors.execution.upstream import serving
from tests.connectors.mcp.server import Scripted, desk, running


@pytest.fixture(scope="session")
def sdk_server() -> Iterator[str]:
    with running(desk().streamable_http_app()) as url:
        yield f"{url}/mcp"


@pytest.fixture
def desk_url(sdk_server: str, settings: Any) -> Iterator[str]:
    """The official SDK's server, which speaks both eras."""
    with reachable(settings, sdk_server.removeprefix("http://").removesuffix("/mcp")):
        yield sdk_server


@pytest.fixture
def scripted(settings: Any) -> Iterator[Scripted]:
    """A legacy server with one tool, `go`."""
    with serving(Scripted(go={})) as server, reachable(settings, server.authority):
        assert isinstance(server, Scripted)
        yield server


@pytest.fixture(autouse=True)
def _nothing_was_asked_for_lately() -> None:
    cache.clear()
