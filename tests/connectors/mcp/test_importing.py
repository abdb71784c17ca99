"""Remote MCP servers brought in by `import_catalog --mcp`, with and without an account."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accesscontrol.exceptions import Refusal
from accesscontrol.models import Member, Organization
from connectors.connecting.verification import verify
from connectors.models import Connection, Connector, Tool
from tests import cast
from tests.conftest import reachable
from tests.connectors.execution.upstream import Handler, Server, respond, serving
from tests.connectors.mcp.server import Scripted


def run(url: str, *arguments: str) -> tuple[dict[str, Any], str]:
    out, err = StringIO(), StringIO()
    options = ("--mcp", "--slug=hand", "--label=Hand", "--json", *arguments)
    call_command("import_catalog", url, *options, stdout=out, stderr=err)
    return json.loads(out.getvalue()), err.getvalue()


@pytest.fixture
def guarded(scripted: Scripted) -> Scripted:
    """Lets in who has the token, and tells the others where to sign in."""
    speak = scripted.routes["/mcp"]

    def gate(handler: Handler) -> None:
        metadata = f"{scripted.url}/.well-known/oauth-protected-resource/mcp"
        refused = respond(401, WWW_Authenticate=f'Bearer resource_metadata="{metadata}", scope="notes:read"')
        (speak if handler.headers.get("Authorization") == "Bearer t-oken" else refused)(handler)

    scripted.routes["/mcp"] = gate
    return scripted


def publish(server: Server, path: str, **document: Any) -> None:
    server.routes[path] = respond(200, json.dumps(document).encode(), Content_Type="application/json")


@pytest.fixture
def signs_in(guarded: Scripted) -> Scripted:
    """The server is its own authorization server, at a path."""
    issuer = f"{guarded.url}/login"
    publish(
        guarded,
        "/.well-known/oauth-protected-resource/mcp",
        resource=guarded.endpoint,
        authorization_servers=[issuer],
        scopes_supported=["all"],
    )
    publish(
        guarded,
        "/.well-known/oauth-authorization-server/login",
        issuer=issuer,
        authorization_endpoint=f"{issuer}/authorize",
        token_endpoint=f"{issuer}/token",
        response_types_supported=["code"],
    )
    return guarded


def test_an_open_server_is_imported_and_again_changes_nothing(scripted: Scripted, acme: Organization) -> None:
    report, _ = run(scripted.endpoint)
    assert (report["connector"], report["added"]) == ("hand", ["go"])
    made = Connector.objects.get()
    assert (made.kind, made.base_url, made.auth["kind"]) == ("mcp", scripted.endpoint, "none")
    assert made.catalog_url == scripted.endpoint
    assert Tool.objects.get().binding == {"kind": "mcp", "tool": "go", "protocol_version": "2025-06-18"}
    report, _ = run(scripted.endpoint)
    assert (report["unchanged"], report["added"]) == (["go"], [])


def test_a_dry_run_writes_nothing(scripted: Scripted, acme: Organization) -> None:
    report, _ = run(scripted.endpoint, "--dry-run")
    assert report["added"] == ["go"]
    assert not Connector.objects.exists()


def test_a_server_that_wants_an_account_comes_without_tools_and_says_how_people_sign_in(
    signs_in: Scripted, acme: Organization
) -> None:
    report, notes = run(signs_in.endpoint)
    assert report["added"] == []
    assert "Connect one, then import it again with --member and --connection." in notes
    oauth, bearer = Connector.objects.get().auth_schemes
    assert oauth == {
        "kind": "oauth2",
        "name": "oauth",
        "parameter": "",
        "authorization_url": f"{signs_in.url}/login/authorize",
        "token_url": f"{signs_in.url}/login/token",
        "scopes": ["notes:read"],
    }
    assert bearer["kind"] == "bearer"
    assert Connector.objects.get().auth == oauth


def test_metadata_that_speaks_for_another_issuer_is_none(signs_in: Scripted, acme: Organization) -> None:
    publish(
        signs_in,
        "/.well-known/oauth-authorization-server/login",
        issuer="https://evil.example",
        authorization_endpoint="https://evil.example/authorize",
        token_endpoint="https://evil.example/token",
        response_types_supported=["code"],
    )
    run(signs_in.endpoint)
    assert [scheme["kind"] for scheme in Connector.objects.get().auth_schemes] == ["bearer"]


def test_metadata_at_a_private_address_is_not_fetched(guarded: Scripted, acme: Organization, settings: Any) -> None:
    with serving(Server()) as inside:
        publish(
            guarded,
            "/.well-known/oauth-protected-resource/mcp",
            resource=guarded.endpoint,
            authorization_servers=[inside.url],
        )
        run(guarded.endpoint)
        assert inside.received == []
    assert [scheme["kind"] for scheme in Connector.objects.get().auth_schemes] == ["bearer"]


def test_a_server_that_names_nothing_takes_a_token_or_a_key(guarded: Scripted, acme: Organization) -> None:
    run(guarded.endpoint, "--key-header", "X-Key")
    assert Connector.objects.get().auth["parameter"] == "X-Key"
    assert Connector.objects.get().auth["kind"] == "api_key_header"


class TestWithAnAccount:
    @pytest.fixture
    def account(self, guarded: Scripted, bob: Member) -> Connection:
        made = cast.connector(bob.organization, "hand", "Hand", base_url=guarded.endpoint, kind=Connector.Kind.MCP)
        return cast.connection(bob, made, credential={"token": "t-oken"})

    def test_the_tools_are_those_that_the_account_sees(self, guarded: Scripted, account: Connection) -> None:
        report, _ = run(guarded.endpoint, "--member", "BOB@acme.example")
        assert report["added"] == ["go"]
        assert Connector.objects.get().auth["kind"] == "bearer"

    def test_which_account_is_said_where_there_are_several(self, guarded: Scripted, account: Connection) -> None:
        cast.connection(account.owner, account.connector, "Other", credential={"token": "wrong"})
        with pytest.raises(CommandError, match="Several accounts fit"):
            run(guarded.endpoint, "--member", "bob@acme.example")
        with pytest.raises(CommandError, match="does not accept the account's credential"):
            run(guarded.endpoint, "--connection", "Other")
        report, _ = run(guarded.endpoint, "--connection", "Main")
        assert report["added"] == ["go"]

    def test_an_account_of_another_organization_is_none(self, guarded: Scripted, account: Connection) -> None:
        charlie = cast.member(cast.organization("umbrella"), "charlie")
        with pytest.raises(CommandError, match="There is no active account at hand"):
            run(guarded.endpoint, "--member", "bob@acme.example", "--organization", charlie.organization.slug)

    def test_its_credential_goes_to_its_connector_s_address_alone(
        self, guarded: Scripted, account: Connection, settings: Any
    ) -> None:
        with serving(Scripted(go={})) as other, reachable(settings, other.authority):
            assert isinstance(other, Scripted)
            with pytest.raises(CommandError, match="import it from there"):
                run(other.endpoint, "--connection", "Main")
            assert other.received == []

    def test_without_it_the_tools_there_are_stay(self, guarded: Scripted, account: Connection) -> None:
        run(guarded.endpoint, "--connection", "Main")
        with pytest.raises(CommandError, match="lists its tools to accounts alone"):
            run(guarded.endpoint)
        assert Tool.objects.count() == 1

    def test_a_credential_is_checked_by_listing_the_tools(self, guarded: Scripted, account: Connection) -> None:
        verify(account.connector, {"token": "t-oken"})
        with pytest.raises(Refusal, match=r"^Hand refused it \(status 401\)\. Check it and try again\.$"):
            verify(account.connector, {"token": "wrong"})
        guarded.routes["/mcp"] = respond(403)
        with pytest.raises(Refusal, match="status 403"):
            verify(account.connector, {"token": "t-oken"})


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://127.0.0.1:9/mcp", "is not a public address"),
        ("ftp://a.example/mcp", "is not an http or https address"),
        ("no url", "is not an http or https address"),
        ("http://a.example:port/mcp", "URL is not valid"),
    ],
)
def test_an_address_that_cannot_be_read_is_one_clear_line(acme: Organization, url: str, words: str) -> None:
    with pytest.raises(CommandError, match=words) as raised:
        run(url)
    assert "\n" not in str(raised.value)
    assert not Connector.objects.exists()
