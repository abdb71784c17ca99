"""What people complain about with other gateways, as promises of this one; each names the complaint.

Which account a call ran through is asked of the upstream, by the token that it received.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from pytest_django.fixtures import Settings

from accesscontrol.models import Member, Organization, Restriction, Surface
from accesscontrol.permissions import Scope
from accesscontrol.services import restrictions, teams
from connectors.models import Connection, Connector, Level
from connectors.services import connections
from tests import cast
from tests.conftest import reachable
from tests.connectors.execution.upstream import Handler, Server, respond, serving
from tests.connectors.sharing import share, unshare
from tests.search.mcp.rpc import Rpc

NAME = "mail_send"
CALLS = 50


@pytest.fixture
def upstream(settings: Settings) -> Iterator[Server]:
    """Says whose token it got."""

    def who(handler: Handler) -> None:
        got = handler.server.received[-1].headers["authorization"].removeprefix("Bearer of ")
        respond(200, f'{{"called_as": "{got}"}}'.encode(), Content_Type="application/json")(handler)

    settings.MCP_REQUESTS_PER_MINUTE = 0
    with serving(Server()) as server, reachable(settings, server.authority):
        server.routes["/send"] = who
        yield server


@pytest.fixture
def mail(acme: Organization, upstream: Server) -> Connector:
    made = cast.connector(
        acme, "mail", "Mail", base_url=upstream.url, max_concurrent_calls=500, calls_per_minute=100_000
    )
    cast.tool(made, "send", "Send a message")
    return made


def account(owner: Member, mail: Connector, label: str, token: str) -> Connection:
    return cast.connection(owner, mail, label, credential={"token": f"of {token}"})


def called_as(rpc: Rpc, *, meta: bool = False, **arguments: Any) -> str:
    answer = rpc.call("execute_tool", name=NAME, arguments=arguments) if meta else rpc.call(NAME, **arguments)
    assert not answer["isError"], answer
    content = answer["structuredContent"]
    return str(content.get("called_as") or content["result"]["called_as"])


def refused(rpc: Rpc, **arguments: Any) -> bool:
    answer = rpc.send("tools/call", {"name": NAME, "arguments": arguments}).json()
    return "error" in answer or bool(answer["result"]["isError"])


class TestAccounts:
    @pytest.mark.parametrize("meta", [False, True])
    def test_asked_for_one_account_another_s_credential_is_not_used(
        self, mail: Connector, bob: Member, bea: Member, meta: bool
    ) -> None:
        """google_workspace_mcp#250: asked for one user, used another's credentials."""
        mine, hers = account(bob, mail, "Main", "bob"), account(bea, mail, "Main", "bea")
        share(hers, bob)
        account(bob, mail, "Side", "side")
        rpc = Rpc(cast.token(bob))
        for wanted, label in (("bob", "Main (bob@acme.example)"), ("bea", "Main (bea@acme.example)"), ("side", "Side")):
            assert called_as(rpc, meta=meta, connection=label) == wanted
        assert refused(rpc, connection="Main")
        assert refused(rpc)
        assert called_as(Rpc(cast.token(bea)), meta=meta) == "bea"
        assert mine.owner != hers.owner

    def test_two_accounts_of_a_product_are_one_tool_with_a_choice(self, mail: Connector, bob: Member) -> None:
        """claude-code#36024: two mailboxes with the same tool names."""
        for label in ("Work", "Home"):
            account(bob, mail, label, label.lower())
        rpc = Rpc(cast.token(bob))
        [row] = [row for row in rpc.found("send a message")["result"] if row["name"] == NAME]
        assert row["input_schema"]["properties"]["connection"]["enum"] == ["Home", "Work"]
        assert [called_as(rpc, connection=label) for label in ("Work", "Home")] == ["work", "home"]

    def test_several_shared_accounts_of_an_app_are_each_reached(
        self, mail: Connector, bob: Member, bea: Member, acme: Organization
    ) -> None:
        """composio#4248: several shared accounts per app."""
        owners = [cast.member(acme, name) for name in ("dan", "eve", "fay")]
        for owner in owners:
            share(account(owner, mail, "Shared", owner.user.name), acme)
        rpc = Rpc(cast.token(bob))
        for owner in owners:
            assert called_as(rpc, connection=f"Shared ({owner.user.email})") == owner.user.name

    @pytest.mark.django_db(transaction=True)
    def test_at_once_nobody_s_call_runs_through_another_s_account(
        self, mail: Connector, acme: Organization, upstream: Server
    ) -> None:
        """google_workspace_mcp#250, with every member calling at the same time, directly and by `execute_tool`."""
        members = [cast.member(acme, f"m{number}") for number in range(5)]
        for member in members:
            for label in ("Main", "Side"):
                account(member, mail, label, f"{member.user.name}-{label}")
        tokens = {member.user.name: cast.token(member, scopes=[Scope.TOOLS]) for member in members}

        def calls(asked: tuple[str, int]) -> list[tuple[str, str]]:
            name, start = asked
            rpc = Rpc(tokens[name])
            try:
                return [
                    (f"{name}-{label}", called_as(rpc, meta=bool(number % 2), connection=label))
                    for number, label in ((n, ("Main", "Side")[(n + start) % 2]) for n in range(CALLS // 5))
                ]
            finally:
                connection.close()

        with ThreadPoolExecutor(len(members)) as pool:
            pairs = [pair for found in pool.map(calls, ((name, n) for n, name in enumerate(tokens))) for pair in found]
        assert len(pairs) == CALLS == len(upstream.received)
        assert [pair for pair in pairs if pair[0] != pair[1]] == []


class TestLeaks:
    def test_search_and_the_word_for_it_name_nothing_of_another_s_account(
        self, mail: Connector, bob: Member, bea: Member
    ) -> None:
        """toolhive#4374, mcp-gateway-registry#50: search names tools the caller is denied."""
        account(bob, mail, "Payroll of Bob", "bob")
        assert "Payroll" not in str(Rpc(cast.token(bea)).found("send a message payroll"))
        assert refused(Rpc(cast.token(bea)))

    def test_a_name_inside_the_arguments_passes_every_check(self, mail: Connector, bob: Member) -> None:
        """toolhive PR#6150: a tool name nested in the arguments skips policy."""
        account(bob, mail, "Main", "bob")
        restrictions.create(subject=bob, mode=Restriction.Mode.BLOCK, tools=["mail.send"], surface=Surface.SYSTEM)
        rpc = Rpc(cast.token(bob))
        for nested in ({"name": NAME, "arguments": {}}, {"name": "execute_tool", "arguments": {"name": NAME}}):
            answer = rpc.send("tools/call", {"name": "execute_tool", "arguments": nested}).json()
            assert "error" in answer or answer["result"]["isError"]

    def test_a_narrower_token_sees_nothing_that_a_broader_one_was_just_shown(
        self, mail: Connector, bob: Member
    ) -> None:
        """mcpproxy-go PR#1226: a narrower token pages through a broader token's cached result."""
        account(bob, mail, "Main", "bob")
        broad, narrow = Rpc(cast.token(bob)), Rpc(cast.token(bob, scopes=[Scope.READ]))
        assert called_as(broad) == "bob"
        assert broad.found("send a message")["matched"]
        assert refused(narrow)

    def test_renewing_or_sharing_an_account_shows_its_secret_to_nobody_and_changes_no_share(
        self, mail: Connector, bob: Member, bea: Member, acme: Organization
    ) -> None:
        """mcphub#1036: sharing a server exposes its secrets; forge#3530: a refresh flips private to public."""
        made = account(bob, mail, "Main", "bob")
        share(made, bea, Level.EDIT)
        rpc = Rpc(cast.token(bea))
        seen = str(rpc.call("elaichi__connection__list")) + str(rpc.found("send a message"))
        assert "of bob" not in seen
        connections.rename(connection=made, label="Renamed", surface=Surface.SYSTEM, actor=bea)
        dan = cast.member(acme, "dan")
        assert refused(Rpc(cast.token(dan)))
        assert made.shares.count() == 1


class TestRevocation:
    def test_a_share_that_is_taken_back_ends_with_the_next_call(
        self, mail: Connector, bob: Member, bea: Member
    ) -> None:
        """obot#3300: calls succeed after removal."""
        made = account(bob, mail, "Main", "bob")
        share(made, bea)
        rpc = Rpc(cast.token(bea))
        assert called_as(rpc) == "bob"
        unshare(made, bea)
        assert refused(rpc)

    def test_a_team_that_is_left_reaches_a_connected_client(
        self, mail: Connector, bob: Member, bea: Member, acme: Organization
    ) -> None:
        """obot#4022: group removal never reaches a connected client."""
        team = cast.team(acme, "Support", bea)
        share(account(bob, mail, "Main", "bob"), team)
        rpc = Rpc(cast.token(bea))
        assert called_as(rpc) == "bob"
        teams.remove_member(team=team, member=bea, surface=Surface.SYSTEM)
        assert refused(rpc)

    def test_a_disconnected_account_is_not_usable_and_one_that_is_back_is(self, mail: Connector, bob: Member) -> None:
        """forge#380: a disconnected account stays usable; litellm PR#35456: what is back stays refused from a cache."""
        made = account(bob, mail, "Main", "bob")
        rpc = Rpc(cast.token(bob))
        assert called_as(rpc) == "bob"
        connections.disconnect(connection=made, surface=Surface.SYSTEM, actor=bob)
        assert refused(rpc)
        made.refresh_from_db()
        made.status, made.credential = Connection.Status.ACTIVE, {"token": "of bob-again"}
        connections.store(connection=made, surface=Surface.SYSTEM, actor=bob)
        assert called_as(rpc) == "bob-again"


class TestTokens:
    def test_an_account_that_has_to_be_signed_in_to_again_is_listed_with_what_to_do(
        self, mail: Connector, bob: Member
    ) -> None:
        """litellm#33072: tools vanish in silence."""
        made = account(bob, mail, "Main", "bob")
        Connection.objects.update(status=Connection.Status.NEEDS_REAUTH, status_reason="Its sign-in has ended.")
        [row] = Rpc(cast.token(bob)).call("elaichi__connection__list")["structuredContent"]["connections"]
        assert (row["id"], row["status"], row["status_reason"]) == (
            str(made.pk),
            "needs_reauth",
            "Its sign-in has ended.",
        )
