"""Products that want several keys in one request: from the document to the wire, and none of them comes back."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from accesscontrol.models import Member
from connectors.auth_scheme import AuthKind, AuthScheme, combined
from connectors.catalog.openapi.reader import read_root
from connectors.connecting.forms import labels_of
from connectors.connecting.sessions import open_session
from connectors.execution.arguments import BoundRequest
from connectors.execution.errors import NeedsReauth
from connectors.execution.redirects import redirected
from connectors.execution.request import build_request, secrets_of
from connectors.models import Connection, Connector
from tests import cast
from tests.conftest import reachable
from tests.connectors import real_catalogs
from tests.connectors.execution.upstream import Server, respond, serving
from tests.connectors.sharing import fresh
from tests.search.mcp.rpc import Rpc

QUERY = AuthKind.API_KEY_QUERY
HEADER = AuthKind.API_KEY_HEADER


def scheme(*parts: AuthScheme) -> AuthScheme:
    together = combined(parts)
    assert together is not None
    return together


def key(kind: AuthKind, parameter: str, name: str = "") -> AuthScheme:
    return AuthScheme(kind=kind, parameter=parameter, name=name or parameter)


TRELLO = scheme(key(QUERY, "key", "api_key"), key(QUERY, "token", "api_token"))
DATADOG = scheme(key(HEADER, "DD-API-KEY", "apiKeyAuth"), key(HEADER, "DD-APPLICATION-KEY", "appKeyAuth"))
MIXED = scheme(AuthScheme(kind=AuthKind.BEARER, name="user"), key(HEADER, "X-App-Key", "app"))
WITH_BASIC = scheme(AuthScheme(kind=AuthKind.BASIC, name="login"), key(QUERY, "key"))


def credential(of: AuthScheme) -> dict[str, str]:
    return {name: f"canary{number}-0123456789" for number, name in enumerate(of.fields)}


def sent(of: AuthScheme, **given: Any) -> Any:
    bound = BoundRequest(method="GET", path="/a", query=(("page", "1"), ("TOKEN", "mine")))
    return build_request(bound, base_url="https://a.example", auth=of, credential=given or credential(of))


@pytest.fixture
def upstream() -> Iterator[Server]:
    with serving(Server()) as server:
        yield server


class TestDocuments:
    def read(self, security: list[Any], **schemes: Any) -> tuple[AuthScheme, ...]:
        declared = {
            name: {"type": "apiKey", "in": place, "name": parameter} if place != "bearer" else parameter
            for name, (place, parameter) in schemes.items()
        }
        root = {
            "openapi": "3.0.0",
            "info": {"title": "T"},
            "servers": [{"url": "https://a.example"}],
            "components": {"securitySchemes": declared},
            "security": security,
            "paths": {"/a": {"get": {"responses": {}}}},
        }
        return read_root(root, source="a.json").auth_schemes

    def test_a_requirement_of_several_is_one_way_and_alternatives_are_several(self) -> None:
        bearer = {"type": "http", "scheme": "bearer"}
        offered = self.read(
            [{"apiKeyAuth": [], "appKeyAuth": []}, {"bot": []}],
            apiKeyAuth=("header", "DD-API-KEY"),
            appKeyAuth=("header", "DD-APPLICATION-KEY"),
            bot=("bearer", bearer),
        )
        assert offered == (DATADOG, AuthScheme(kind=AuthKind.BEARER, name="bot"))

    def test_keys_of_one_place_offered_as_alternatives_are_meant_together_and_each_stays_on_offer(self) -> None:
        offered = self.read(
            [{"api_key": []}, {"api_token": []}], api_key=("query", "key"), api_token=("query", "token")
        )
        assert offered == (TRELLO, *TRELLO.parts)

    def test_two_that_no_request_can_carry_are_offered_apart(self) -> None:
        offered = self.read([{"one": [], "two": []}], one=("header", "X-Key"), two=("header", "x-key"))
        assert [it.also for it in offered] == [(), ()]

    def test_keys_in_different_places_stay_alternatives(self) -> None:
        offered = self.read([{"one": []}, {"two": []}], one=("header", "X-Key"), two=("query", "key"))
        assert [it.also for it in offered] == [(), ()]

    @pytest.mark.catalogs
    @pytest.mark.skipif(not real_catalogs.FOLDER.is_dir(), reason="the real catalogs are not here")
    def test_trello_asks_for_its_key_and_its_token(self) -> None:
        assert real_catalogs.read("trello.yaml").auth_schemes[0] == TRELLO


class TestStored:
    @pytest.mark.parametrize("auth", [TRELLO, DATADOG, MIXED, WITH_BASIC, key(QUERY, "key")])
    def test_what_is_stored_is_read_back(self, auth: AuthScheme) -> None:
        assert AuthScheme.from_json(auth.to_json()) == auth

    def test_what_was_stored_before_is_read_as_it_was_meant_and_written_as_it_was(self) -> None:
        before = {"kind": "api_key_query", "name": "k", "parameter": "key", "authorization_url": "", "token_url": ""}
        auth = AuthScheme.from_json({**before, "scopes": []})
        assert (auth.fields, auth.to_json()) == (("key",), {**before, "scopes": ()})

    def test_fields_go_by_their_place_and_not_by_their_order(self) -> None:
        turned = scheme(*reversed(TRELLO.parts))
        assert set(turned.fields) == set(TRELLO.fields)
        assert sent(TRELLO).url.params["token"] == sent(turned, **credential(TRELLO)).url.params["token"]


class TestRequests:
    def test_every_credential_goes_along_in_its_place(self) -> None:
        assert dict(sent(TRELLO).url.params) == {
            "page": "1",
            "key": "canary0-0123456789",
            "token": "canary1-0123456789",
        }
        headers = sent(DATADOG).headers
        assert (headers["dd-api-key"], headers["dd-application-key"]) == ("canary0-0123456789", "canary1-0123456789")
        mixed = sent(MIXED).headers
        assert (mixed["authorization"], mixed["x-app-key"]) == ("Bearer canary0-0123456789", "canary1-0123456789")
        basic = sent(WITH_BASIC)
        assert basic.headers["authorization"].startswith("Basic ")
        assert basic.url.params["key"] == "canary2-0123456789"

    @pytest.mark.parametrize("auth", [TRELLO, DATADOG, MIXED])
    def test_with_one_missing_nothing_is_sent(self, auth: AuthScheme) -> None:
        with pytest.raises(NeedsReauth):
            sent(auth, **dict(list(credential(auth).items())[:1]))

    @pytest.mark.parametrize("auth", [TRELLO, DATADOG, MIXED, WITH_BASIC])
    def test_none_crosses_origins(self, auth: AuthScheme) -> None:
        target = "https://b.example/?Key=canary0-0123456789" + ("&token=canary1-0123456789" if auth is TRELLO else "")
        elsewhere = redirected(sent(auth), 307, target if auth in (TRELLO, WITH_BASIC) else "https://b.example/")
        assert "canary" not in f"{elsewhere.url} {elsewhere.headers.multi_items()}"
        back = redirected(elsewhere, 307, "https://a.example/?key=canary0-0123456789")
        assert "canary" not in f"{back.headers.multi_items()}"

    @pytest.mark.parametrize("auth", [TRELLO, DATADOG, MIXED])
    def test_all_of_them_are_redacted(self, auth: AuthScheme) -> None:
        assert set(credential(auth).values()) <= set(secrets_of(auth, credential(auth)))


def test_labels_are_what_the_product_calls_them() -> None:
    assert list(labels_of(TRELLO).values()) == ["API key", "API token"]
    assert list(labels_of(DATADOG).values()) == ["API key", "App key"]
    assert list(labels_of(MIXED).values()) == ["Access token", "API key"]
    assert list(labels_of(key(QUERY, "appid")).values()) == ["API key"]


def test_both_are_typed_on_the_connect_page_and_every_call_has_both(
    upstream: Server, settings: Settings, bob: Member
) -> None:
    upstream.routes["/boards"] = respond(
        200, b'{"said": "canary0-typed canary1-typed"}', Content_Type="application/json"
    )
    connector = cast.connector(bob.organization, "trello", "Trello", auth=TRELLO.to_json(), base_url=upstream.url)
    cast.tool(connector, "boards", "Lists boards")
    client = Client()
    client.force_login(bob.user)
    with reachable(settings, upstream.authority):
        _, url = open_session(fresh(bob), connector)
        page = url[url.index("/connect/") :]
        form = client.get(page).content.decode()
        assert "API token" in form
        typed = {"query_key_key": "canary0-typed", "query_token_key": "canary1-typed"}
        assert all(f'name="{name}"' in form for name in typed)
        assert "is required" in client.post(page, {"label": "Main", "query_key_key": "canary0-typed"}).content.decode()
        assert "is connected" in client.post(page, {"label": "Main", **typed}).content.decode()
        answer = Rpc(cast.token(bob)).call("trello_boards")
    assert upstream.received[-1].target == "/boards?key=canary0-typed&token=canary1-typed"
    assert answer["structuredContent"] == {"said": "[redacted] [redacted]"}
    assert Connection.objects.get().credential.reveal() == typed


def test_an_owner_enters_both_in_the_admin(alice: Member) -> None:
    connector = cast.connector(alice.organization, "trello", "Trello", auth=TRELLO.to_json())
    client = Client()
    client.force_login(alice.user)
    form = {
        "connector": str(connector.pk),
        "owner": str(alice.pk),
        "label": "Main",
        "status": "active",
        "shares-TOTAL_FORMS": "0",
        "shares-INITIAL_FORMS": "0",
        "secret_1": "canary0",
    }
    told = client.post("/admin/connectors/connection/add/", form).content.decode()
    assert "API key and API token" in told
    assert not Connection.objects.exists()
    assert client.post("/admin/connectors/connection/add/", form | {"secret_2": "canary1"}).status_code == 302
    assert Connection.objects.get().credential.reveal() == {"query_key_key": "canary0", "query_token_key": "canary1"}
    assert Connector.objects.get().auth_scheme == TRELLO
