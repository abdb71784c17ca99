"""Calling a connected tool, through either door, against a real upstream."""

from random import Random
from typing import Any

import httpx2
import pytest
from django.db import transaction
from django.db.models import F
from pytest_django.fixtures import Settings

from accesscontrol import versions
from accesscontrol.audit import CallEntry
from accesscontrol.exceptions import GrantEnded, Restricted
from accesscontrol.models import AuditEvent, Grant, Member, Restriction, Surface
from accesscontrol.permissions import Scope
from accesscontrol.services import grants, memberships, restrictions
from connectors.execution import service
from connectors.execution.errors import UnusableTool
from connectors.models import Connection, Connector, Tool
from search.pool import pool_of
from tests import cast
from tests.search.mcp.rpc import LEGACY, MODERN, Rpc

TICKET = {"project": "OPS", "subject": "The coffee machine leaks"}


@pytest.fixture(params=[LEGACY, MODERN])
def rpc(request: pytest.FixtureRequest, deskline: Connector, bob: Member) -> Rpc:
    return Rpc(cast.token(bob), version=request.param)


def journal(sandbox: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = httpx2.get(f"{sandbox}/_journal").json()["requests"]
    return found


def through_both_doors(rpc: Rpc, name: str, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    """The answers of a direct tools/call and of execute_tool under one request id, errors included."""
    direct = {"name": name, "arguments": arguments}
    indirect = {"name": "execute_tool", "arguments": direct}
    return [rpc.send("tools/call", one, X_Request_ID="both-doors").json() for one in (direct, indirect)]


def refusal_code(answer: dict[str, Any]) -> str:
    assert answer["result"]["isError"]
    code: str = answer["result"]["structuredContent"]["error"]["code"]
    return code


def test_a_read_and_a_write_arrive_at_the_upstream_and_the_record_is_there(rpc: Rpc, sandbox: str) -> None:
    made = rpc.call("execute_tool", name="deskline_create_ticket", arguments=TICKET)
    assert not made["isError"]
    number = made["structuredContent"]["id"]
    read = rpc.call("execute_tool", name="deskline_get_ticket", arguments={"ticket_id": number})
    assert read["structuredContent"]["subject"] == TICKET["subject"]
    records = httpx2.get(f"{sandbox}/_records/deskline/Acme").json()
    assert TICKET["subject"] in str(records)


@pytest.mark.requirement("S3")
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("deskline_list_tickets", {"limit": 2}),
        ("deskline_list_tickets", {"limit": "two"}),
        ("deskline_get_ticket", {"ticket_id": 999}),
        ("deskline_get_ticket", {"ticket_id": 101, "extra": 1}),
        ("deskline_unknown", {}),
        ("elaichi__member__list", {}),
        ("elaichi__member__list", {"limit": 0}),
    ],
)
def test_both_doors_lead_to_the_same_answer_and_the_same_audit_row(
    rpc: Rpc, name: str, arguments: dict[str, Any]
) -> None:
    direct, indirect = through_both_doors(rpc, name, arguments)
    assert direct == indirect
    fields = ("action", "target", "connection", "outcome", "client", "surface", "actor")
    first, second = AuditEvent.objects.filter(action__endswith=".call").values(*fields)
    assert first == second


def generated_cases() -> list[tuple[str, Any]]:
    """A hundred calls: reads, refused writes, operations and names that lead nowhere, with arguments good and bad."""
    draw = Random("both doors")
    names = ["deskline_list_tickets", "deskline_get_ticket", "deskline_create_ticket", "elaichi__connection__list"]
    names += ["elaichi__member__list", "elaichi__role__create", "deskline_no_such_tool", "notion_create_page"]
    values: list[Any] = [0, 2, 101, -1, "open", "two", "", None, True, 1.5, [], [1], {}, {"a": 1}, "x" * 5_000]
    arguments = ["limit", "ticket_id", "status", "cursor", "query", "connection", "unknown", "subject"]
    return [
        (draw.choice(names), {name: draw.choice(values) for name in draw.sample(arguments, draw.randrange(4))})
        for _ in range(100)
    ]


def test_both_doors_agree_over_a_hundred_generated_calls(rpc: Rpc, bob: Member, settings: Settings) -> None:
    settings.MCP_REQUESTS_PER_MINUTE = 0
    narrow = Rpc(cast.token(bob, scopes=[Scope.TOOLS]), version=rpc.version)
    fields = ("action", "target", "connection", "outcome", "client", "surface", "actor", "detail")
    for number, (name, arguments) in enumerate(generated_cases()):
        direct, indirect = through_both_doors(narrow if number % 5 == 0 else rpc, name, arguments)
        assert direct == indirect, (name, arguments)
    rows = list(AuditEvent.objects.filter(action__endswith=".call").order_by("at").values(*fields))
    assert len(rows) == 200
    assert rows[::2] == rows[1::2]


@pytest.mark.requirement("S19")
def test_a_restricted_tool_is_refused_by_both_doors_in_the_same_words_and_nothing_leaves(
    rpc: Rpc, bob: Member, sandbox: str
) -> None:
    restrictions.create(
        subject=bob, mode=Restriction.Mode.BLOCK, tools=["deskline.create_ticket"], surface=Surface.SYSTEM
    )
    direct, indirect = through_both_doors(rpc, "deskline_create_ticket", TICKET)
    assert direct == indirect
    error = direct["result"]["structuredContent"]["error"]
    assert (error["code"], error["by"], error["scope"]) == ("restricted", "user", "tool")
    assert error["request_access"] == {
        "operation": "elaichi__access_request__create",
        "arguments": {"connector": "deskline", "tool": "create_ticket"},
    }
    assert journal(sandbox) == []
    assert AuditEvent.objects.filter(action="tool.call", outcome="restricted").count() == 2


def test_a_tool_of_a_restricted_connector_is_refused_as_such(rpc: Rpc, bob: Member) -> None:
    restrictions.create(subject=bob.role, mode=Restriction.Mode.BLOCK, connectors=["deskline"], surface=Surface.SYSTEM)
    error = rpc.call("deskline_list_tickets")["structuredContent"]["error"]
    assert (error["code"], error["by"], error["scope"]) == ("restricted", "role", "connector")


def test_an_unknown_name_is_a_protocol_error_that_offers_the_nearest(rpc: Rpc) -> None:
    for answer in through_both_doors(rpc, "deskline_list_ticket", {}):
        assert answer["error"]["code"] == -32602
        assert answer["error"]["data"]["nearest"][0] == "deskline_list_tickets"


def test_an_unknown_name_is_audited_without_being_written_down(rpc: Rpc) -> None:
    rpc.send("tools/call", {"name": "my-password-is-swordfish", "arguments": {}})
    event = AuditEvent.objects.get(action="tool.call")
    assert (event.target, event.outcome) == ("", "unknown_tool")


def test_the_doors_cannot_be_nested(rpc: Rpc) -> None:
    for name in ("execute_tool", "search_tools"):
        response = rpc.send("tools/call", {"name": "execute_tool", "arguments": {"name": name, "arguments": {}}})
        assert rpc.error(response)["code"] == -32602


def test_a_tool_s_name_nested_in_the_arguments_skips_nothing(rpc: Rpc, bob: Member, sandbox: str) -> None:
    restrictions.create(
        subject=bob, mode=Restriction.Mode.BLOCK, tools=["deskline.delete_ticket"], surface=Surface.SYSTEM
    )
    smuggled = {"name": "deskline_delete_ticket", "arguments": {"ticket_id": 101}}
    answer = rpc.call("execute_tool", name="deskline_list_tickets", arguments=smuggled)
    assert answer["structuredContent"]["error"]["code"] == "invalid_arguments"
    assert journal(sandbox) == []


def test_each_gate_of_scope_and_permission_is_named(deskline: Connector, bob: Member, sandbox: str) -> None:
    without_tools = Rpc(cast.token(bob, scopes=[Scope.READ]))
    error = without_tools.call("deskline_list_tickets")["structuredContent"]["error"]
    assert (error["code"], error["scope"]) == ("scope_required", "mcp:tools")
    without_delete = Rpc(cast.token(bob, scopes=[Scope.TOOLS]))
    error = without_delete.call("deskline_delete_ticket", ticket_id=101)["structuredContent"]["error"]
    assert (error["code"], error["scope"]) == ("scope_required", "mcp:destructive")
    guest = cast.member(bob.organization, "gus", "guest")
    error = Rpc(cast.token(guest)).call("deskline_list_tickets")["structuredContent"]["error"]
    assert (error["code"], error["permission"]) == ("permission_required", "tool:execute")
    error = Rpc(cast.token(guest)).call("elaichi__member__list")["structuredContent"]["error"]
    assert (error["code"], error["permission"]) == ("permission_required", "member:view")
    assert journal(sandbox) == []


def test_arguments_that_do_not_fit_are_told_by_path_and_without_their_value(rpc: Rpc, sandbox: str) -> None:
    answer = rpc.call("deskline_get_ticket", ticket_id="hunter2")
    error = answer["structuredContent"]["error"]
    assert error["problems"] == [{"path": "/ticket_id", "reason": "must be integer"}]
    assert "hunter2" not in str(answer)
    assert journal(sandbox) == []


def test_the_audit_row_says_who_what_and_how_long_and_never_an_argument(rpc: Rpc, bob: Member) -> None:
    rpc.call("deskline_create_ticket", **{**TICKET, "description": "a private matter"})
    event = AuditEvent.objects.get(action="tool.call")
    assert event.actor == bob
    assert (event.surface, event.client) == ("mcp", "A test")
    assert (event.target, event.connection, event.outcome) == ("deskline_create_ticket", "Deskline: Acme", "ok")
    assert event.duration_ms is not None
    assert event.request_id
    rows = str(list(AuditEvent.objects.values()))
    assert "private matter" not in rows
    assert "demo-deskline-acme" not in rows


@pytest.mark.requirement("S16")
class TestSeveralAccounts:
    @pytest.fixture(autouse=True)
    def second_account(self, deskline: Connector, bob: Member) -> None:
        cast.connection(bob, deskline, "Globex", credential={"token": "demo-deskline-globex"})

    def test_a_call_uses_the_account_asked_for(self, rpc: Rpc, sandbox: str) -> None:
        for account in ("Globex", "Acme"):
            assert not rpc.call("deskline_list_tickets", connection=account)["isError"]
            assert journal(sandbox)[-1]["account"] == account

    @pytest.mark.parametrize("given", [{}, {"connection": "Initech"}, {"connection": "acme"}, {"connection": 7}])
    def test_a_missing_or_loose_account_is_asked_for_and_never_guessed(
        self, rpc: Rpc, sandbox: str, given: dict[str, Any]
    ) -> None:
        error = rpc.call("deskline_list_tickets", **given)["structuredContent"]["error"]
        assert error["code"] == "ambiguous_connection"
        assert set(error["accounts"]) <= {"Acme", "Globex"}
        assert error["accounts"]
        assert journal(sandbox) == []

    def test_an_account_may_be_named_by_its_id(self, rpc: Rpc, sandbox: str) -> None:
        globex = Connection.objects.get(label="Globex")
        rpc.call("deskline_list_tickets", connection=str(globex.pk))
        assert journal(sandbox)[-1]["account"] == "Globex"

    def test_another_member_s_account_is_none_of_the_choices(self, rpc: Rpc, bob: Member, deskline: Connector) -> None:
        bea = cast.member(bob.organization, "bea")
        private = cast.connection(bea, deskline, "Private", credential={"token": "demo-deskline-acme"})
        error = rpc.call("deskline_list_tickets", connection=str(private.pk))["structuredContent"]["error"]
        assert error["code"] == "ambiguous_connection"
        assert "Private" not in str(error)


def test_with_one_account_there_is_no_such_argument(rpc: Rpc) -> None:
    error = rpc.call("deskline_list_tickets", connection="Acme")["structuredContent"]["error"]
    assert error["problems"][0]["path"] == "/connection"


@pytest.mark.parametrize("ended", [Connection.Status.DISCONNECTED, Connection.Status.NEEDS_REAUTH])
def test_an_account_that_ended_is_out_of_the_pool(deskline: Connector, bob: Member, ended: str) -> None:
    Connection.objects.update(status=ended)
    response = Rpc(cast.token(bob)).send("tools/call", {"name": "deskline_list_tickets", "arguments": {}})
    assert response.json()["error"]["code"] == -32602


def test_a_credential_that_the_upstream_refuses_needs_signing_in_again(deskline: Connector, bob: Member) -> None:
    connection = Connection.objects.get()
    connection.credential = {"token": "wrong-token-value"}
    connection.save()
    answer = Rpc(cast.token(bob)).call("deskline_list_tickets")
    assert answer["structuredContent"]["error"]["code"] == "needs_reauth"
    assert "wrong-token-value" not in str(answer)


def test_a_lost_key_is_a_clear_refusal(rpc: Rpc, settings: Any, sandbox: str) -> None:
    settings.CREDENTIAL_KEYS = ["another-key-altogether"]
    error = rpc.call("deskline_list_tickets")["structuredContent"]["error"]
    assert error["code"] == "needs_reauth"
    assert "Acme" in error["message"]
    assert journal(sandbox) == []


def test_an_upstream_that_is_not_there_is_told(deskline: Connector, bob: Member) -> None:
    Connector.objects.update(base_url="http://127.0.0.1:1")
    error = Rpc(cast.token(bob)).call("deskline_list_tickets")["structuredContent"]["error"]
    assert error["code"] in ("upstream_unreachable", "blocked_address")


def test_a_private_address_is_never_dialled(rpc: Rpc, settings: Any, sandbox: str) -> None:
    settings.EGRESS_ALLOWED = []
    error = rpc.call("deskline_list_tickets")["structuredContent"]["error"]
    assert error["code"] == "blocked_address"
    assert journal(sandbox) == []


def test_a_member_suspended_during_the_call_is_stopped_before_the_request_leaves(
    deskline: Connector, bob: Member, sandbox: str
) -> None:

    caller = grants.authenticate(cast.token(bob))
    tool = pool_of(caller).advertised("deskline_list_tickets")
    assert tool is not None
    memberships.suspend(member=bob, surface=Surface.SYSTEM)
    with pytest.raises(GrantEnded):
        service.execute(caller, tool, {}, CallEntry())
    assert journal(sandbox) == []


def test_a_rule_written_during_the_call_stops_it_too(deskline: Connector, bob: Member, sandbox: str) -> None:

    caller = grants.authenticate(cast.token(bob))
    tool = pool_of(caller).advertised("deskline_list_tickets")
    assert tool is not None
    restrictions.create(subject=bob, mode=Restriction.Mode.BLOCK, connectors=["deskline"], surface=Surface.SYSTEM)
    with pytest.raises(Restricted):
        service.execute(caller, tool, {}, CallEntry())
    assert journal(sandbox) == []


def test_a_tool_removed_during_the_call_is_refused_in_words(deskline: Connector, bob: Member, sandbox: str) -> None:
    caller = grants.authenticate(cast.token(bob))
    tool = pool_of(caller).advertised("deskline_list_tickets")
    assert tool is not None
    Tool.objects.filter(name="list_tickets").delete()
    with pytest.raises(UnusableTool, match="removed"):
        service.execute(caller, tool, {}, CallEntry())
    assert journal(sandbox) == []


def test_a_tool_switched_off_during_the_call_is_not_run(deskline: Connector, bob: Member, sandbox: str) -> None:
    caller = grants.authenticate(cast.token(bob))
    tool = pool_of(caller).advertised("deskline_list_tickets")
    assert tool is not None
    with transaction.atomic():
        versions.bump(bob.organization)
        Tool.objects.filter(name="list_tickets").update(enabled=False)
    with pytest.raises(UnusableTool, match="switched off"):
        service.execute(caller, tool, {}, CallEntry())
    assert journal(sandbox) == []


def test_a_revoked_token_is_refused_by_the_next_call(rpc: Rpc, bob: Member) -> None:

    assert rpc.send("tools/list").status_code == 200
    grants.revoke(grant=Grant.objects.get(member=bob), reason="a test", surface=Surface.SYSTEM)
    assert rpc.send("tools/list").status_code == 401


def test_a_tool_switched_off_is_gone_from_the_next_call(deskline: Connector, bob: Member) -> None:

    rpc = Rpc(cast.token(bob))
    assert not rpc.call("deskline_list_tickets")["isError"]
    with transaction.atomic():
        versions.bump(bob.organization)
        Tool.objects.filter(name="list_tickets").update(enabled=False)
        Connector.objects.update(catalog_version=F("catalog_version") + 1)
    response = rpc.send("tools/call", {"name": "deskline_list_tickets", "arguments": {}})
    assert response.json()["error"]["code"] == -32602
