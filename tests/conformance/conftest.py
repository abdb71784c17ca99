"""The gateway of the end-to-end tests."""

import pytest

from tests.e2e.conftest import Gateway, Serve, dora, gateway, sandbox_url, serve

__all__ = ["dora", "gateway", "sandbox_url", "serve", "shared_gateway"]


@pytest.fixture(scope="session")
def shared_gateway(serve: Serve, sandbox_url: str) -> Gateway:
    """A web process that has the suite's fixtures besides."""
    return serve(sandbox_url, "tests.conformance.wsgi")
