"""A client that is known by its own address: its document is fetched past the guard, and taken at its word alone."""

import json
import ssl
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.utils import timezone
from oauth2_provider.cimd import CIMDError
from pytest_django.fixtures import Settings

from accesscontrol.models import Member, OAuthClient
from connectors.execution.egress import GuardedTransport
from elaichi.client_documents import ClientDocuments
from tests.accesscontrol.oauth.dance import Dance
from tests.connectors.execution.certificate import self_signed, serving_over_tls
from tests.connectors.execution.upstream import Server, respond

HOST = "app.example"
CALLBACK = "http://127.0.0.1/callback"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return self_signed(HOST, tmp_path_factory.mktemp("tls"))


@pytest.fixture
def page(certificate: Path) -> Iterator[Server]:
    with serving_over_tls(certificate) as server:
        yield server


@pytest.fixture
def client_id(page: Server, certificate: Path, settings: Settings) -> Iterator[str]:
    """The address of the application's document, which we can reach and trust."""
    transport = GuardedTransport(
        allowed=[f"{HOST}:{page.server_port}"],
        resolve=lambda host, port: ["127.0.0.1"],
        ssl_context=ssl.create_default_context(cafile=certificate),
    )
    settings.OAUTH2_PROVIDER = {
        **settings.OAUTH2_PROVIDER,
        "CIMD_METADATA_FETCHER": lambda: ClientDocuments(transport),
    }
    cache.clear()
    with transport:
        yield f"https://{HOST}:{page.server_port}/client.json"
    cache.clear()


def publish(
    page: Server, address: str, *, status: int = 200, headers: dict[str, str] | None = None, **said: Any
) -> None:
    document = {"client_id": address, "client_name": "Their app", "redirect_uris": [CALLBACK], **said}
    sent = {"Content_Type": "application/json", **(headers or {})}
    page.routes["/client.json"] = respond(status, json.dumps(document).encode(), **sent)


@pytest.fixture
def dance(bob: Member, client_id: str) -> Dance:
    """Never registers; its name is its address."""
    dance = Dance(bob)
    OAuthClient.objects.all().delete()
    dance.client = {"client_id": client_id}
    dance.redirect_uri = "http://127.0.0.1:5123/callback"
    return dance


def test_it_signs_in_without_registering_and_the_page_says_that_its_name_is_confirmed(
    dance: Dance, page: Server, client_id: str
) -> None:
    publish(page, client_id)
    text = dance.opens().content.decode()
    assert "Their app" in text
    assert "nobody has checked" not in text
    assert client_id in text
    tokens = dance.tokens()
    tokens = dance.refreshes(tokens["refresh_token"]).json()
    assert dance.status_at_mcp(tokens["access_token"]) == 200
    assert len(page.received) == 1
    assert OAuthClient.objects.get().client_type == "public"


def test_its_document_is_read_anew_when_it_is_stale(dance: Dance, page: Server, client_id: str) -> None:
    publish(page, client_id, headers={"Cache_Control": "max-age=3600"})
    dance.opens()
    expires = OAuthClient.objects.get().cimd_expires_at
    assert expires is not None
    assert timedelta(minutes=59) < expires - timezone.now() <= timedelta(hours=1)
    OAuthClient.objects.update(cimd_expires_at=timezone.now() - timedelta(seconds=1))
    publish(page, client_id, redirect_uris=["http://127.0.0.1/other"])
    assert dance.opens().status_code == 400
    assert len(page.received) == 2


def test_it_is_narrowed_as_a_registered_client_is(dance: Dance, page: Server, client_id: str) -> None:
    publish(
        page,
        client_id,
        redirect_uris=[CALLBACK, "myapp://callback"],
        grant_types=["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
    )
    assert dance.opens().status_code == 200
    assert OAuthClient.objects.get().redirect_uris == CALLBACK


@pytest.mark.parametrize(
    "said",
    [
        {"client_id": "https://app.example/another.json"},
        {"redirect_uris": ["myapp://callback"]},
        {"redirect_uris": ["http://127.0.0.1/somewhere/else"]},
        {"grant_types": ["client_credentials"]},
        {"token_endpoint_auth_method": "private_key_jwt"},
        {"client_secret": "x"},
        {"status": 404},
        {"headers": {"Content_Type": "text/html"}},
        {"client_name": "x" * 20_000},
    ],
)
def test_a_document_that_does_not_hold_is_no_client(
    dance: Dance, page: Server, client_id: str, said: dict[str, Any]
) -> None:
    publish(page, client_id, **said)
    for _ in range(2):
        answer = dance.opens()
        assert answer.status_code == 400
        assert "Location" not in answer
    assert len(page.received) == 1


def test_a_redirect_of_the_document_is_not_followed(dance: Dance, page: Server, client_id: str) -> None:
    page.routes["/client.json"] = respond(302, Location=f"https://{HOST}:{page.server_port}/other.json")
    assert dance.opens().status_code == 400
    assert [one.target for one in page.received] == ["/client.json"]


@pytest.mark.parametrize(
    "address",
    [
        "http://app.example/client.json",
        "https://app.example",
        "https://app.example/",
        "https://app.example/a/../client.json",
        "https://app.example/./client.json",
        "https://user@app.example/client.json",
        "https://app.example/client.json#fragment",
        "https://app.example:port/client.json",
        "https:///client.json",
    ],
)
def test_an_address_that_is_no_client_s_is_not_fetched(address: str) -> None:
    with pytest.raises(CIMDError, match=r"^it must|^its port"):
        ClientDocuments().fetch(address)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "169.254.169.254", "[::1]", "10.0.0.1", "2130706433"])
def test_no_private_address_is_reached(page: Server, host: str) -> None:
    with pytest.raises(CIMDError, match="public"):
        ClientDocuments().fetch(f"https://{host}:{page.server_port}/client.json")
    assert page.received == []


@pytest.mark.parametrize(
    ("cache_control", "seconds"),
    [
        ("", 86400),
        ("max-age=3600", 3600),
        ("public, max-age=1", 300),
        ("max-age=99999999", 86400),
        ("no-store", 300),
        ("s-maxage=10, max-age=600", 600),
    ],
)
def test_it_holds_as_its_headers_say_within_bounds(
    page: Server, client_id: str, certificate: Path, settings: Settings, cache_control: str, seconds: int
) -> None:
    publish(page, client_id, headers={"Cache_Control": cache_control})
    assert settings.OAUTH2_PROVIDER["CIMD_METADATA_FETCHER"]().fetch(client_id)[1] == seconds
