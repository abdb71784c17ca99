"""Calls of frozen tools: what a caller may send, and what the upstream then gets."""

from typing import Any

import pytest

from accesscontrol.models import AuditEvent, Member
from accesscontrol.permissions import Scope
from connectors.models import Connector, Tool, Toolbox
from tests import cast
from tests.connectors.sharing import journal, refusal
from tests.connectors.toolboxes import NAME, freeze, toolbox
from tests.search.mcp.rpc import Rpc


@pytest.fixture
def box(bob: Member) -> Toolbox:
    return toolbox(bob)


@pytest.fixture
def rpc(bob: Member) -> Rpc:
    return Rpc(cast.token(bob))


@pytest.mark.requirement("S17")
def test_what_is_fixed_is_sent_and_what_is_given_goes_over_a_default(
    box: Toolbox, deskline: Connector, rpc: Rpc
) -> None:
    freeze(box, deskline, fixed={"status": "open", "project": "WEB"}, defaults={"limit": 1}, name="open_tickets")
    every = rpc.call("deskline_list_tickets", limit=50)["structuredContent"]["tickets"]
    ours = [ticket["id"] for ticket in every if ticket["project"] == "WEB"]
    assert 1 < len(ours) < len(every)
    for given, expected in (({}, ours[:1]), ({"limit": 2}, ours[:2])):
        found = rpc.call("open_tickets", **given)["structuredContent"]["tickets"]
        assert [ticket["id"] for ticket in found] == expected


@pytest.mark.requirement("S17")
@pytest.mark.parametrize("value", ["SHIP", "APP"])
def test_sending_a_fixed_argument_is_refused_even_with_the_same_value(
    box: Toolbox, deskline: Connector, rpc: Rpc, sandbox: str, value: str
) -> None:
    freeze(box, deskline)
    for name, arguments in ((NAME, {"project": value}), ("execute_tool", executing(project=value))):
        error = refusal(rpc, name, **arguments)
        assert error["code"] == "invalid_arguments"
        assert [problem["path"] for problem in error["problems"]] == ["/project"]
    assert journal(sandbox) == []


def executing(**arguments: Any) -> dict[str, Any]:
    return {"name": NAME, "arguments": arguments}


def test_what_the_advertised_schema_refuses_is_refused_by_its_path(
    box: Toolbox, deskline: Connector, rpc: Rpc, sandbox: str
) -> None:
    freeze(box, deskline)
    error = refusal(rpc, NAME, status="lost")
    assert [problem["path"] for problem in error["problems"]] == ["/status"]
    assert journal(sandbox) == []


def test_a_body_is_completed_at_depth_and_the_rest_is_the_callers(
    box: Toolbox, deskline: Connector, rpc: Rpc, sandbox: str
) -> None:
    freeze(box, deskline, "create_ticket", fixed={"project": "SHIP"}, name="report", defaults={"priority": "high"})
    answer = rpc.call("report", subject="Broken", description="It broke.")
    assert not answer["isError"], answer
    ticket = answer["structuredContent"]
    assert (ticket["project"], ticket["priority"], ticket["subject"]) == ("SHIP", "high", "Broken")


def test_a_frozen_tool_that_deletes_needs_the_scope_of_one(box: Toolbox, deskline: Connector, bob: Member) -> None:
    freeze(box, deskline, "delete_ticket", fixed={"ticket_id": 1}, name="tidy_up")
    narrow = Rpc(cast.token(bob, scopes=[Scope.TOOLS]))
    assert refusal(narrow, "tidy_up")["scope"] == "mcp:destructive"


def test_a_call_is_audited_under_its_name_with_its_toolbox_and_no_value(
    box: Toolbox, deskline: Connector, rpc: Rpc
) -> None:
    freeze(box, deskline, name="ours")
    rpc.call("ours", status="open")
    told = AuditEvent.objects.get(action="tool.call")
    assert (told.target, told.outcome, told.detail) == ("ours", "ok", {"toolbox": "Support"})
    assert told.connection == "Deskline: Acme"


def test_values_that_fit_no_more_are_told_and_nothing_is_sent(
    box: Toolbox, deskline: Connector, rpc: Rpc, sandbox: str
) -> None:
    freeze(box, deskline, fixed={"status": "open"}, name="open_tickets")
    tool = Tool.objects.get(name="list_tickets")
    tool.input_schema = {
        **tool.input_schema,
        "properties": {**tool.input_schema["properties"], "status": {"enum": ["new"]}},
    }
    tool.save()
    error = refusal(rpc, "open_tickets")
    assert error["code"] == "conflict"
    assert "/fixed/status" in error["message"]
    assert journal(sandbox) == []


def test_a_tool_with_everything_fixed_takes_nothing(box: Toolbox, deskline: Connector, rpc: Rpc) -> None:
    schema = Tool.objects.get(name="search_tickets").input_schema
    values = {"text": "broken", "project": "SHIP", "limit": 1}
    assert set(values) == set(schema["properties"])
    freeze(box, deskline, "search_tickets", fixed=values, name="broken_ones")
    [row] = [row for row in rpc.found("broken ones")["result"] if row["name"] == "broken_ones"]
    assert row["input_schema"]["properties"] == {}
    assert not rpc.call("broken_ones")["isError"]
    assert refusal(rpc, "broken_ones", text="broken")["code"] == "invalid_arguments"
