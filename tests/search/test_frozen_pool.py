"""Frozen tools in a caller's pool: their names, what a search says of them, and what they cost."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accesscontrol import versions
from accesscontrol.models import Member, Organization, Restriction, Surface
from accesscontrol.services import restrictions
from connectors.models import Connection, Connector, FrozenTool, Toolbox
from connectors.services import toolboxes
from search.pool import Pool, pool_of
from tests import cast
from tests.connectors.sharing import fresh
from tests.connectors.toolboxes import change, freeze, names, share, toolbox
from tests.search.mcp.rpc import Rpc

SCHEMA = {
    "type": "object",
    "properties": {"project": {"type": "string"}, "title": {"type": "string"}, "urgent": {"type": "boolean"}},
    "required": ["project", "title"],
    "additionalProperties": False,
}


@pytest.fixture
def tracker(acme: Organization, bob: Member) -> Connector:
    connector = cast.connector(acme, "tracker", "Tracker")
    cast.tool(connector, "create_issue", "Create an issue", method="POST", input_schema=SCHEMA)
    cast.tool(connector, "list_issues", "List issues", input_schema=SCHEMA)
    cast.connection(bob, connector)
    return connector


@pytest.fixture
def bea(acme: Organization) -> Member:
    return cast.member(acme, "bea")


@pytest.fixture
def box(bob: Member) -> Toolbox:
    return toolbox(bob)


def pool(member: Member) -> Pool:
    return pool_of(fresh(member))


class TestNames:
    def test_two_that_differ_by_frozen_values_are_told_apart_by_them(self, tracker: Connector, box: Toolbox) -> None:
        for project in ("ENG", "OPS"):
            freeze(box, tracker, "create_issue", fixed={"project": project})
        assert set(pool(box.owner).tools) == {
            "tracker_create_issue",
            "tracker_list_issues",
            "tracker_create_issue_eng",
            "tracker_create_issue_ops",
        }

    def test_a_name_of_its_own_is_the_name(self, tracker: Connector, box: Toolbox) -> None:
        freeze(box, tracker, "create_issue", fixed={"project": "ENG"}, name="report_a_bug")
        assert "report_a_bug" in pool(box.owner).tools

    def test_a_plain_tool_keeps_its_name_whatever_a_frozen_one_is_called(
        self, tracker: Connector, box: Toolbox
    ) -> None:
        freeze(box, tracker, "create_issue", fixed={"project": "ENG"}, name="tracker_list_issues")
        found = pool(box.owner)
        plain = found.advertised("tracker_list_issues")
        assert plain is not None
        assert plain.entry.frozen is None
        frozen = [name for name, (_, entry) in found.tools.items() if entry.frozen]
        assert len(frozen) == 1
        assert frozen[0].startswith("tracker_list_issues_")

    def test_the_same_twice_is_told_apart_by_a_hash_that_stays(self, tracker: Connector, box: Toolbox) -> None:
        for _ in range(2):
            freeze(box, tracker, "create_issue", fixed={"project": "ENG"})
        before = list(pool(box.owner).tools)
        cast.connection(box.owner, cast.connector(box.organization))
        change(FrozenTool.objects.last() or FrozenTool(), description="Another")
        assert [name for name in pool(box.owner).tools if name in before] == before
        assert len(set(before)) == 4


class TestSearching:
    def test_a_row_shows_what_is_left_to_give_and_says_what_is_frozen(self, tracker: Connector, box: Toolbox) -> None:
        freeze(box, tracker, "create_issue", fixed={"project": "ENG"}, defaults={"urgent": True})
        [row] = [
            row for row in Rpc(cast.token(box.owner)).found("create issue ENG")["result"] if row["name"].endswith("eng")
        ]
        assert row["description"] == "Create an issue (frozen: project=ENG)"
        assert row["input_schema"] == {
            "type": "object",
            "properties": {"title": {"type": "string"}, "urgent": {"type": "boolean", "default": True}},
            "required": ["title"],
            "additionalProperties": False,
        }
        assert (row["toolbox"], "skill" in row) == ("Support", False)

    def test_a_frozen_value_ranks_its_tool_first(self, tracker: Connector, box: Toolbox) -> None:
        for project in ("ENG", "OPS"):
            freeze(box, tracker, "create_issue", fixed={"project": project}, name=f"report_{project.lower()}_bug")
        assert names(box.owner, "report OPS bug")[0] == "report_ops_bug"

    def test_a_description_of_its_own_replaces_the_tools(self, tracker: Connector, box: Toolbox) -> None:
        freeze(box, tracker, "create_issue", fixed={"project": "ENG"}, description="Report a defect", name="defect")
        assert names(box.owner, "report defect") == ["defect"]
        summary = Rpc(cast.token(box.owner)).found("report defect", detail="summary")["result"][0]
        assert summary["description"] == "Report a defect (frozen: project=ENG)"

    def test_several_accounts_come_before_what_is_frozen(self, tracker: Connector, box: Toolbox, bob: Member) -> None:
        cast.connection(bob, tracker, "Second")
        freeze(box, tracker, "create_issue", fixed={"project": "ENG"}, name="report")
        [row] = Rpc(cast.token(bob)).found("report", limit=1)["result"]
        assert row["description"].endswith("Set `connection` to one of: Main and Second. (frozen: project=ENG)")
        assert row["input_schema"]["required"] == ["connection", "title"]
        assert row["connections"] == ["Main", "Second"]

    def test_a_change_shows_in_the_next_search(self, tracker: Connector, box: Toolbox) -> None:
        row = freeze(box, tracker, "create_issue", fixed={"project": "ENG"}, name="report")
        assert Rpc(cast.token(box.owner)).found("report")["result"][0]["description"].endswith("project=ENG)")
        change(row, fixed={"project": "OPS"})
        assert Rpc(cast.token(box.owner)).found("report")["result"][0]["description"].endswith("project=OPS)")

    def test_a_dropped_tool_is_gone_and_comes_back_with_its_frozen_ones(self, tracker: Connector, box: Toolbox) -> None:
        freeze(box, tracker, "create_issue", fixed={"project": "ENG"}, name="report")
        for enabled in (False, True):
            tracker.tools.filter(name="create_issue").update(enabled=enabled)
            bump(tracker)
            assert ("report" in pool(box.owner).tools) is enabled

    def test_a_withheld_one_is_named_and_does_not_compete(self, tracker: Connector, box: Toolbox, bob: Member) -> None:
        freeze(box, tracker, "create_issue", fixed={"project": "ENG"}, name="report_bug")
        block = Restriction.Mode.BLOCK
        restrictions.create(subject=bob, mode=block, tools=["tracker.create_issue"], surface=Surface.SYSTEM)
        [row] = Rpc(cast.token(bob)).found("report bug")["result"]
        assert (row["name"], row["restricted"]["scope"], "input_schema" in row) == ("report_bug", "tool", False)
        assert row["restricted"]["request_access"]["arguments"] == {"connector": "tracker", "tool": "create_issue"}


class TestOneToolbox:
    def test_only_its_tools_are_ranked_and_carry_its_skill(self, tracker: Connector, bob: Member, bea: Member) -> None:
        first, second = toolbox(bob, "First", skill="Be brief."), toolbox(bob, "Second")
        freeze(first, tracker, "create_issue", fixed={"project": "ENG"})
        freeze(second, tracker, "create_issue", fixed={"project": "OPS"})
        for named in ("First", "first", str(first.pk)):
            found = Rpc(cast.token(bob)).found("create issue", toolbox=named)
            assert [row["name"] for row in found["result"]] == ["tracker_create_issue_eng"]
            assert found["total_tools"] == 1
            assert found["result"][0]["skill"] == f"elaichi://toolbox/{first.pk}/skill"

    def test_one_that_is_not_there_or_not_theirs_is_not_found(
        self, tracker: Connector, box: Toolbox, bea: Member
    ) -> None:
        for named in ("Nothing", "Support", str(box.pk)):
            answer = Rpc(cast.token(bea)).call("search_tools", query="create", toolbox=named)
            assert answer["structuredContent"]["error"]["code"] == "not_found"

    def test_ones_own_comes_before_others_of_its_name_and_others_are_asked_for_by_id(
        self, tracker: Connector, bob: Member, bea: Member, alice: Member
    ) -> None:
        for owner in (bea, alice):
            share(toolbox(owner, "Desk"), bob)
        error = Rpc(cast.token(bob)).call("search_tools", query="create", toolbox="Desk")["structuredContent"]["error"]
        assert error["code"] == "conflict"
        assert all(str(one.pk) in error["message"] for one in Toolbox.objects.all())
        freeze(toolbox(bob, "Desk"), tracker, "create_issue", fixed={"project": "ENG"})
        assert names(bob, "create", toolbox="Desk") == ["tracker_create_issue_eng"]

    def test_an_empty_one_says_so(self, tracker: Connector, box: Toolbox) -> None:
        found = Rpc(cast.token(box.owner)).found("create issue", toolbox="Support")
        assert found["result"] == []
        assert "toolbox" in found["note"]

    def test_a_cursor_is_of_its_toolbox(self, tracker: Connector, box: Toolbox) -> None:
        for project in ("ENG", "OPS"):
            freeze(box, tracker, "create_issue", fixed={"project": project})
        rpc = Rpc(cast.token(box.owner))
        cursor = rpc.found("", toolbox="Support", limit=1)["next_cursor"]
        assert len(rpc.found("", toolbox="Support", limit=1, cursor=cursor)["result"]) == 1
        refused = rpc.call("search_tools", query="", limit=1, cursor=cursor)
        assert refused["structuredContent"]["error"]["code"] == "invalid_arguments"


class TestCost:
    def test_frozen_tools_cost_a_cold_pool_one_query_pins_two_and_none_nothing(
        self, tracker: Connector, bob: Member, bea: Member
    ) -> None:
        cast.connection(bea, tracker, "Own")
        pool(bea)
        plain = cold(bea)
        box = toolbox(bob)
        share(box, bea)
        for number in range(5):
            freeze(box, tracker, "create_issue", fixed={"project": f"P{number}"})
        assert cold(bea) == plain + 1
        account = Connection.objects.get(owner=bob)
        for number in range(5):
            freeze(box, tracker, "list_issues", fixed={"project": f"P{number}"}, connections=[account])
        assert cold(bea) == plain + 2
        assert plain == 3  # accounts, rules, connectable apps
        assert len(pool(bea).tools) == 12

    def test_a_warm_pool_takes_none(self, tracker: Connector, box: Toolbox, bob: Member) -> None:
        freeze(box, tracker, "create_issue", fixed={"project": "ENG"})
        caller = fresh(bob)
        pool_of(caller)
        with CaptureQueriesContext(connection) as captured:
            pool_of(caller)
        assert len(captured) == 0

    def test_who_sees_the_same_shares_one_index(self, tracker: Connector, bob: Member, bea: Member) -> None:
        box = toolbox(bob)
        share(box, bea)
        freeze(box, tracker, "create_issue", fixed={"project": "ENG"}, connections=[Connection.objects.get()])
        cast.connection(bea, tracker, "Own")
        assert pool(bob).index is pool(bea).index
        before = pool(bob).index
        toolboxes.change(toolbox=box, description="For all", surface=Surface.SYSTEM, actor=bob)
        assert pool(bob).index is before
        freeze(box, tracker, "create_issue", fixed={"project": "OPS"})
        assert pool(bob).index is not before


def cold(member: Member) -> int:
    """Queries of a pool at a version that nothing is cached for."""
    bump(member)
    caller = fresh(member)
    with CaptureQueriesContext(connection) as captured:
        pool_of(caller)
    return len(captured)


def bump(of: Connector | Member) -> None:
    versions.bump(of.organization)
