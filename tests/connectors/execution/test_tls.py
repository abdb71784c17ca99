"""TLS keeps the name that was asked for, and a call that began with TLS stays with it."""

import asyncio
import ssl
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from connectors.execution.egress import GuardedTransport
from connectors.execution.egress_async import AsyncGuardedTransport
from connectors.execution.errors import BlockedAddress, UpstreamUnreachable
from connectors.execution.sending import UpstreamResponse, send
from tests.connectors.execution.certificate import self_signed, serving_over_tls
from tests.connectors.execution.upstream import Server, respond

HOST = "secure.example"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return self_signed(HOST, tmp_path_factory.mktemp("tls"))


@pytest.fixture
def names() -> list[str | None]:
    """The server names (SNI) that clients asked for."""
    return []


@pytest.fixture
def secure(certificate: Path, names: list[str | None]) -> Iterator[Server]:
    with serving_over_tls(certificate, names) as server:
        yield server


def call(server: Server, host: str, trusted: Path | None) -> UpstreamResponse:
    authority = f"{host}:{server.server_port}"
    context = ssl.create_default_context(cafile=trusted) if trusted else None
    with GuardedTransport(
        allowed=[authority], resolve=lambda host, port: ["127.0.0.1"], ssl_context=context
    ) as transport:
        request = httpx2.Request("GET", f"https://{authority}/")
        return send(request, transport=transport, hop_check=lambda url: None)


def test_the_name_is_asked_for_and_checked_though_an_address_is_dialled(
    secure: Server, certificate: Path, names: list[str | None]
) -> None:
    secure.routes["/"] = respond(200, b"ok")
    assert call(secure, HOST, certificate).content == b"ok"
    assert names == [HOST]
    assert secure.received[0].headers["host"] == f"{HOST}:{secure.server_port}"


@pytest.mark.parametrize(("host", "trusted"), [(HOST, True), ("other.example", False)])
def test_connections_of_an_event_loop_check_the_name_too(
    secure: Server, certificate: Path, names: list[str | None], host: str, trusted: bool
) -> None:
    secure.routes["/"] = respond(200, b"ok")
    authority = f"{host}:{secure.server_port}"
    context = ssl.create_default_context(cafile=certificate)

    async def fetch() -> httpx2.Response:
        async with AsyncGuardedTransport(
            allowed=[authority], resolve=lambda host, port: ["127.0.0.1"], ssl_context=context
        ) as transport:
            return await transport.handle_async_request(httpx2.Request("GET", f"https://{authority}/"))

    if trusted:
        assert asyncio.run(fetch()).status_code == 200
    else:
        with pytest.raises(httpx2.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
            asyncio.run(fetch())
    assert names == [host]


def test_a_certificate_of_another_name_is_refused(secure: Server, certificate: Path) -> None:
    with pytest.raises(UpstreamUnreachable, match="certificate that is not trusted"):
        call(secure, "other.example", certificate)
    assert secure.received == []


def test_the_environment_cannot_name_an_authority(
    secure: Server, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with pytest.raises(UpstreamUnreachable, match="certificate that is not trusted"):
        call(secure, HOST, None)


def test_a_redirect_out_of_tls_is_refused(secure: Server, upstream: Server, certificate: Path) -> None:
    secure.routes["/"] = respond(302, Location=upstream.url)
    with pytest.raises(BlockedAddress, match="without TLS"):
        call(secure, HOST, certificate)
    assert upstream.received == []
