"""The official SDK's client with nothing but the address: it registers, a person consents, and a tool runs."""

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher, make_password
from mcp import Client
from mcp.client.auth import OAuthClientProvider, TokenStorage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from pydantic import AnyUrl

from accesscontrol.models import Grant, Member, OAuthClient, RefreshToken
from tests import cast
from tests.accesscontrol.oauth.browser import Person, query
from tests.e2e.conftest import Gateway

CALLBACK = "http://127.0.0.1:33418/callback"


class Storage(TokenStorage):
    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


class SignIn:
    """What an application does around the SDK: it opens a browser, and waits for its callback."""

    def __init__(self, gateway: Gateway, person: Person) -> None:
        self.person = person
        self.storage = Storage()
        self.consents = 0
        self.changed: dict[str, str] = {}
        self.ticked: list[str] = []
        """At the second consent and later."""
        self.provider = OAuthClientProvider(
            server_url=gateway.mcp,
            client_metadata=OAuthClientMetadata(redirect_uris=[AnyUrl(CALLBACK)], client_name="An SDK"),
            storage=self.storage,
            redirect_handler=self._opens,
            callback_handler=self._waits,
        )

    async def _opens(self, address: str) -> None:
        self.consents += 1
        ticked = self.ticked if self.consents > 1 else []
        self.answer = await asyncio.to_thread(lambda: self.person.allows(address, ticked=ticked))

    async def _waits(self) -> AuthorizationCodeResult:
        given = {**query(self.answer), **self.changed}
        return AuthorizationCodeResult(code=given["code"], state=given["state"], iss=given["iss"])


def find_and_run(gateway: Gateway, sign_in: SignIn, mode: Any) -> Any:
    async def run() -> Any:
        async with (
            httpx2.AsyncClient(auth=sign_in.provider, timeout=20) as http,
            Client(streamable_http_client(gateway.mcp, http_client=http), mode=mode) as client,
        ):
            found = await client.call_tool("search_tools", {"query": "list invoices"})
            assert found.structured_content is not None
            name = found.structured_content["result"][0]["name"]
            return await client.call_tool("execute_tool", {"name": name, "arguments": {}})

    return asyncio.run(run())


@pytest.fixture
def sign_in(gateway: Gateway, dora: Member) -> Iterator[SignIn]:
    # The gateway knows the hashers of production, and not the cheap one that makes the cast.
    dora.user.password = make_password(cast.PASSWORD, hasher=PBKDF2PasswordHasher())
    dora.user.save()
    with Person(gateway.url, dora.user.email, cast.PASSWORD) as person:
        yield SignIn(gateway, person)


@pytest.mark.parametrize("mode", ["auto", "legacy", "2026-07-28"])
def test_the_official_client_goes_from_the_bare_address_to_a_tool_s_result(
    gateway: Gateway, dora: Member, sign_in: SignIn, mode: str
) -> None:
    ran = find_and_run(gateway, sign_in, mode)
    assert not ran.is_error
    assert ran.structured_content["data"]
    assert sign_in.consents == 1
    grant = Grant.objects.get(member=dora)
    assert (grant.kind, grant.client_name) == (Grant.Kind.OAUTH, "An SDK")
    assert OAuthClient.objects.get().redirect_uris == CALLBACK


def test_it_refreshes_by_itself_and_the_person_is_not_asked_again(
    gateway: Gateway, dora: Member, sign_in: SignIn
) -> None:
    find_and_run(gateway, sign_in, "auto")
    sign_in.provider.context.token_expiry_time = 1.0
    assert not find_and_run(gateway, sign_in, "auto").is_error
    assert sign_in.consents == 1
    assert RefreshToken.objects.count() == 2


def test_an_answer_in_another_server_s_name_is_not_taken(gateway: Gateway, sign_in: SignIn) -> None:
    """Our answers name us, so the client notices one that somebody else mixed in, and gives no code away."""
    sign_in.changed = {"iss": "https://other.example"}
    with pytest.raises(Exception) as failure:  # noqa: PT011  wrapped as the transport's task group has it
        find_and_run(gateway, sign_in, "auto")
    assert "iss" in str(innermost(failure.value)).lower()
    assert not RefreshToken.objects.exists()


def test_a_client_that_lacks_a_scope_asks_its_person_for_it_and_goes_on(
    gateway: Gateway, dora: Member, sign_in: SignIn
) -> None:
    tool = cast.tool(dora.organization.connectors.get(slug="deskline"), "purge", "Purge", method="DELETE")
    sign_in.ticked = ["mcp:destructive"]

    async def run() -> Any:
        async with (
            httpx2.AsyncClient(auth=sign_in.provider, timeout=20) as http,
            Client(streamable_http_client(gateway.mcp, http_client=http), mode="2026-07-28") as client,
        ):
            await client.list_tools()  # signs in; the client asks once in a request
            return await client.call_tool(f"deskline_{tool.name}", {})

    ran = asyncio.run(run())
    assert sign_in.consents == 2
    assert "scope_required" not in str(ran.content)
    assert [grant.scopes for grant in Grant.objects.order_by("created_at")][-1] == [
        "mcp:destructive",
        "mcp:read",
        "mcp:tools",
        "mcp:write",
    ]


def innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
