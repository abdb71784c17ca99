"""What clients read first: from the 401 to both documents, which say the same whoever asks under whatever host."""

from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from tests.accesscontrol.oauth.dance import Dance

BASE = "https://tools.example"
RESOURCE = ("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp")
SERVER = (
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/mcp",
    "/.well-known/openid-configuration",
    "/.well-known/openid-configuration/mcp",
)


@pytest.fixture
def public(settings: Settings) -> None:
    settings.PUBLIC_URL = BASE


def read(address: str, **headers: str) -> Any:
    return Client().get(address, headers={"Origin": "https://inspector.example", **headers})


@pytest.mark.parametrize("address", RESOURCE)
def test_the_protected_resource_names_itself_and_its_server(public: None, address: str) -> None:
    answer = read(address, host="localhost")
    assert answer.json() == {
        "resource": f"{BASE}/mcp",
        "authorization_servers": [BASE],
        "scopes_supported": ["mcp:read", "mcp:write", "mcp:destructive", "mcp:tools"],
        "bearer_methods_supported": ["header"],
        "resource_name": "elaichi",
    }
    assert answer["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize("address", SERVER)
def test_the_server_says_what_it_does_and_nothing_else(public: None, address: str) -> None:
    assert read(address).json() == {
        "issuer": BASE,
        "authorization_endpoint": f"{BASE}/oauth/authorize",
        "token_endpoint": f"{BASE}/oauth/token",
        "registration_endpoint": f"{BASE}/oauth/register",
        "revocation_endpoint": f"{BASE}/oauth/revoke",
        "introspection_endpoint": f"{BASE}/oauth/introspect",
        "scopes_supported": ["mcp:read", "mcp:write", "mcp:destructive", "mcp:tools"],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"],
        "revocation_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"],
        "introspection_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
        "client_id_metadata_document_supported": True,
    }


@pytest.mark.parametrize("address", [*RESOURCE, *SERVER, "/oauth/token", "/oauth/register", "/oauth/revoke"])
def test_a_page_of_another_origin_may_ask_first(address: str) -> None:
    answer = Client().options(
        address, headers={"Origin": "https://inspector.example", "Access-Control-Request-Method": "POST"}
    )
    assert answer.status_code == 204
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert "MCP-Protocol-Version" in answer["Access-Control-Allow-Headers"]
    assert "Access-Control-Allow-Credentials" not in answer


def test_pages_of_another_origin_get_nothing_of_a_signed_in_person(dance: Dance) -> None:
    assert "Access-Control-Allow-Origin" not in dance.opens()


@pytest.mark.django_db
def test_the_challenge_leads_to_the_resource_s_document(public: None) -> None:
    answer = Client().post("/mcp", data={}, content_type="application/json")
    assert answer.status_code == 401
    metadata = f'resource_metadata="{BASE}/.well-known/oauth-protected-resource/mcp"'
    assert answer["WWW-Authenticate"] == f'Bearer {metadata}, scope="mcp:read mcp:write mcp:tools"'


@pytest.mark.parametrize(
    "address", ["/oauth/device", "/oauth/applications/", "/oauth/authorized_tokens/", "/.well-known/jwks.json"]
)
def test_nothing_else_of_the_toolkit_is_served(dance: Dance, address: str) -> None:
    assert dance.browser.get(address).status_code == 404
