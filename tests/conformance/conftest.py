"""The gateway of the end-to-end tests."""

from tests.e2e.conftest import dora, gateway, sandbox_url, serve, shared_gateway

__all__ = ["dora", "gateway", "sandbox_url", "serve", "shared_gateway"]
