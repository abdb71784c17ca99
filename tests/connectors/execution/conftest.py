from collections.abc import Iterator

import pytest

from connectors.execution.egress import GuardedTransport
from tests.connectors.execution.upstream import Server, serving


@pytest.fixture
def upstream() -> Iterator[Server]:
    with serving(Server()) as server:
        yield server


@pytest.fixture
def other() -> Iterator[Server]:
    """Another origin: the same host on another port."""
    with serving(Server()) as server:
        yield server


@pytest.fixture
def transport(upstream: Server, other: Server) -> Iterator[GuardedTransport]:
    """Reaches these two servers, and the public internet."""
    with GuardedTransport(allowed=[upstream.authority, other.authority]) as transport:
        yield transport
