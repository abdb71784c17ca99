"""A remote server's tools change: who notices, what is read again, and what is left as it was."""

import contextlib
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection as database
from pytest_django import DjangoCaptureOnCommitCallbacks

from accesscontrol.exceptions import Refusal
from accesscontrol.models import AuditEvent, Member
from accesscontrol.services import grants
from connectors.auth_scheme import AuthKind, AuthScheme
from connectors.catalog.mcp.refreshing import refresh
from connectors.connecting import sessions
from connectors.execution import mcp_call
from connectors.mcp_binding import McpBinding
from connectors.models import Connection, Connector, Tool
from tests import cast
from tests.connectors.execution.upstream import Handler, respond
from tests.connectors.mcp.server import LEGACY, RpcError, Scripted, reply, streamed, text


@pytest.fixture
def connector(scripted: Scripted, bob: Member) -> Connector:
    """Bob's account at a server with two tools."""
    made = cast.connector(bob.organization, "hand", "Hand", base_url=scripted.endpoint, kind=Connector.Kind.MCP)
    cast.connection(bob, made)
    for name in ("go", "stop"):
        binding = McpBinding(tool=name, protocol_version=LEGACY).to_json()
        cast.tool(made, name, binding=binding, input_schema={"type": "object", "properties": {}})
    return made


def listed(*names: str) -> dict[str, Any]:
    return {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in names]}


def asked_again(connector: Connector, commits: DjangoCaptureOnCommitCallbacks) -> int:
    """How many tasks a call of `go` starts."""
    with commits() as callbacks, contextlib.suppress(Refusal):
        mcp_call.call(connector.tools.get(name="go"), {}, {"token": "t-oken"}, hop_check=lambda url: None)
    return len(callbacks)


@pytest.mark.parametrize(
    "answer",
    [
        RpcError(-32602, "Unknown tool: go"),
        RpcError(-32601, "Method not found"),
        text("Unknown tool: go", isError=True),
        text("MCP error -32602: Tool go not found", isError=True),
        streamed({"method": "notifications/tools/list_changed"}, {"result": text("done")}),
    ],
    ids=["unknown", "no method", "failed", "not found", "said"],
)
def test_a_call_that_shows_that_tools_changed_has_them_read_again(
    scripted: Scripted,
    connector: Connector,
    answer: Any,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    scripted.answers["tools/call"] = answer
    assert asked_again(connector, django_capture_on_commit_callbacks) == 1


@pytest.mark.parametrize("answer", [text("done"), text("Page not found", isError=True), respond(500)])
def test_another_answer_does_not(
    scripted: Scripted,
    connector: Connector,
    answer: Any,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    scripted.answers["tools/call"] = answer
    assert asked_again(connector, django_capture_on_commit_callbacks) == 0


def test_they_are_read_once_a_minute_however_often_calls_ask(
    scripted: Scripted, connector: Connector, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    scripted.answers["tools/call"] = RpcError(-32602, "Unknown tool: go")
    started = [asked_again(connector, django_capture_on_commit_callbacks) for _ in range(3)]
    assert started == [1, 0, 0]


def test_a_refresh_brings_what_is_new_and_takes_what_is_gone(scripted: Scripted, connector: Connector) -> None:
    scripted.answers["tools/list"] = listed("go", "run")
    refresh(connector.pk)
    assert set(Tool.objects.filter(connector=connector).values_list("name", flat=True)) == {"go", "run"}
    assert scripted.received[-1].headers["authorization"] == "Bearer secret-of-Main"
    event = AuditEvent.objects.get(action="connector.import")
    assert (event.surface, event.actor, event.detail["added"]) == ("system", None, 1)
    refresh(connector.pk)
    assert AuditEvent.objects.filter(action="connector.import").count() == 1


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (listed("other"), "would remove 2 of Hand's 2 tools"),
        (listed(), "lists no tool"),
        (respond(401), "does not accept the account's credential"),
        (respond(500), "status 500"),
    ],
)
def test_a_refresh_that_is_refused_changes_nothing_and_says_so_in_the_audit_trail(
    scripted: Scripted, connector: Connector, answer: Any, words: str
) -> None:
    scripted.answers["tools/list"] = answer
    refresh(connector.pk)
    assert Tool.objects.filter(connector=connector).count() == 2
    event = AuditEvent.objects.get(action="connector.refresh")
    assert (event.outcome, event.target) == ("refused", "connector:hand")
    assert words in str(event.detail["reason"])
    assert "secret-of-Main" not in str(event.detail)


def test_without_an_account_a_server_is_read_as_anybody(scripted: Scripted, connector: Connector) -> None:
    Connection.objects.update(status=Connection.Status.DISCONNECTED)
    Connector.objects.update(auth=AuthScheme(kind=AuthKind.NONE).to_json())
    scripted.answers["tools/list"] = listed("go", "run")
    refresh(connector.pk)
    assert Tool.objects.filter(connector=connector, name="run").exists()
    assert "authorization" not in scripted.received[-1].headers


@pytest.mark.parametrize("changed", [{"status": Member.Status.SUSPENDED}, {"user__is_active": False}])
def test_nobody_s_account_is_read_with_while_they_are_shut_out(
    scripted: Scripted, connector: Connector, bob: Member, changed: dict[str, Any]
) -> None:
    bob.status = changed.get("status", bob.status)
    bob.user.is_active = changed.get("user__is_active", True)
    bob.save()
    bob.user.save()
    refresh(connector.pk)
    assert all("authorization" not in request.headers for request in scripted.received)


def meanwhile(scripted: Scripted, change: Callable[[], object]) -> None:
    """Happens in another process, as it were, before the first page of two is answered."""

    def first_page(handler: Handler) -> None:
        try:
            change()
        finally:
            database.close()
        reply(handler, scripted.asked[-1], result=listed("go", "stop", "run") | {"nextCursor": "2"})

    scripted.answers["tools/list"] = [first_page, listed()]


@pytest.mark.django_db(transaction=True)
def test_a_suspension_between_two_pages_keeps_the_credential_from_the_second(
    scripted: Scripted, connector: Connector, bob: Member
) -> None:
    meanwhile(scripted, lambda: Member.objects.filter(pk=bob.pk).update(status=Member.Status.SUSPENDED))
    refresh(connector.pk)
    assert scripted.methods.count("tools/list") == 1
    assert not Tool.objects.filter(name="run").exists()


@pytest.mark.django_db(transaction=True)
def test_a_refresh_leads_no_connector_back_to_where_it_was_read(scripted: Scripted, connector: Connector) -> None:
    Connection.objects.update(status=Connection.Status.DISCONNECTED)
    Connector.objects.update(auth=AuthScheme(kind=AuthKind.NONE).to_json())
    elsewhere = {"base_url": "https://hand.example", "label": "Other hand"}
    meanwhile(scripted, lambda: Connector.objects.update(**elsewhere))
    refresh(connector.pk)
    assert Connector.objects.values("base_url", "label").get() == elsewhere
    assert not Tool.objects.filter(name="run").exists()


def test_a_connector_that_is_off_or_gone_or_of_another_kind_is_left_alone(
    scripted: Scripted, connector: Connector, bob: Member
) -> None:
    other = cast.connector(bob.organization, base_url=scripted.endpoint)
    refresh(other.pk)
    Connector.objects.filter(pk=connector.pk).update(enabled=False)
    refresh(connector.pk)
    pk = connector.pk
    Connector.objects.filter(pk=pk).delete()
    refresh(pk)
    assert scripted.received == []


def test_a_server_without_tools_is_read_when_an_account_is_connected(
    scripted: Scripted,
    connector: Connector,
    bob: Member,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    def connect(label: str) -> list[str]:
        session, _ = sessions.open_session(grants.authenticate(cast.token(bob)), connector)
        with django_capture_on_commit_callbacks() as callbacks:
            sessions.complete(session, label=label, credential={"token": "t-oken"})
        return [it.args[0].name for it in callbacks if isinstance(it, partial) and it.args[1:] == (str(connector.pk),)]

    assert connect("With tools") == []
    connector.tools.all().delete()
    assert connect("Without") == ["connectors.tasks.refresh_catalog"]


def test_an_account_whose_credential_cannot_be_opened_is_a_reason(
    connector: Connector, settings: Any, scripted: Scripted
) -> None:
    settings.CREDENTIAL_KEYS = ["another-key-altogether"]
    refresh(connector.pk)
    assert "cannot be opened" in str(AuditEvent.objects.get(action="connector.refresh").detail)
    assert scripted.received == []
