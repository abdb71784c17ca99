"""Toolboxes by operation: made and changed in one call, shared, stamped, deleted; and what is told of them to whom."""

from typing import Any

import pytest

from accesscontrol.models import AuditEvent, Grant, Member, Organization, Restriction, Surface
from accesscontrol.services import restrictions
from connectors.models import Connection, Connector, FrozenTool, Toolbox
from tests import cast
from tests.connectors.sharing import refusal
from tests.connectors.toolboxes import freeze, share, toolbox
from tests.search.mcp.rpc import Rpc

SCHEMA = {
    "type": "object",
    "properties": {"project": {"type": "string"}, "title": {"type": "string"}, "limit": {"type": "integer"}},
    "additionalProperties": False,
}


@pytest.fixture
def tracker(acme: Organization) -> Connector:
    connector = cast.connector(acme, "tracker", "Tracker")
    for name in ("create_issue", "list_issues"):
        cast.tool(connector, name, input_schema=SCHEMA)
    return connector


@pytest.fixture
def account(bob: Member, tracker: Connector) -> Connection:
    return cast.connection(bob, tracker, "Bob's desk")


@pytest.fixture
def rpc(bob: Member) -> Rpc:
    return Rpc(cast.token(bob))


def called(rpc: Rpc, verb: str, **arguments: Any) -> dict[str, Any]:
    answer = rpc.call(f"elaichi__{verb}", **arguments)
    assert not answer["isError"], answer
    return dict(answer["structuredContent"])


def problems(rpc: Rpc, **arguments: Any) -> list[str]:
    error = refusal(rpc, "elaichi__toolbox__save", **arguments)
    assert error["code"] == "invalid_arguments"
    assert all(problem["reason"] for problem in error["problems"])
    return [problem["path"] for problem in error["problems"]]


class TestSaving:
    def test_one_call_makes_a_toolbox_with_its_tools_and_it_reads_back(self, rpc: Rpc, account: Connection) -> None:
        saved = called(
            rpc,
            "toolbox__save",
            toolbox="new",
            name="Bugs",
            description="Of the app",
            skill="Search first.",
            tools=[
                {"tool": "tracker.list_issues", "name": "our_bugs", "fixed": {"project": "APP"}},
                {"tool": "tracker_create_issue", "defaults": {"limit": 1}, "connections": [str(account.pk)]},
            ],
        )
        assert saved == called(rpc, "toolbox__get", toolbox=saved["id"])
        first, second = saved.pop("tools")
        assert saved == {
            "id": saved["id"],
            "name": "Bugs",
            "description": "Of the app",
            "owner": "bob@acme.example",
            "access": "owner",
            "template": False,
            "enabled": True,
            "skill": "Search first.",
            "shared_with": [],
        }
        assert first == {
            "id": first["id"],
            "tool": "tracker.list_issues",
            "name": "our_bugs",
            "fixed": {"project": "APP"},
        }
        assert second == {
            "id": second["id"],
            "tool": "tracker.create_issue",
            "defaults": {"limit": 1},
            "pinned": True,
            "connections": [{"id": str(account.pk), "label": "Bob's desk"}],
        }

    def test_the_tools_given_are_all_that_it_holds_and_one_by_its_id_stays(
        self, rpc: Rpc, account: Connection, bob: Member, tracker: Connector
    ) -> None:
        box = toolbox(bob)
        kept = freeze(box, tracker, "list_issues", fixed={"project": "APP"}, connections=[account])
        freeze(box, tracker, "create_issue", name="gone")
        saved = called(
            rpc,
            "toolbox__save",
            toolbox=str(box.pk),
            tools=[{"id": str(kept.pk)}, {"tool": "tracker.list_issues", "name": "gone"}],
        )
        assert [(tool["tool"], tool.get("name", "")) for tool in saved["tools"]] == [
            ("tracker.list_issues", ""),
            ("tracker.list_issues", "gone"),
        ]
        assert saved["tools"][0]["id"] == str(kept.pk)
        assert saved["tools"][0]["fixed"] == {"project": "APP"}
        assert kept.pins.get().connection == account

    def test_what_is_not_given_stays(self, rpc: Rpc, bob: Member, tracker: Connector) -> None:
        box = toolbox(bob, skill="Ask.")
        freeze(box, tracker, "list_issues")
        saved = called(rpc, "toolbox__save", toolbox=str(box.pk), description="Now with words", enabled=False)
        assert (saved["name"], saved["skill"], saved["enabled"], len(saved["tools"])) == ("Support", "Ask.", False, 1)

    @pytest.mark.parametrize(
        ("tool", "path"),
        [
            ({"tool": "tracker.list_issues", "fixed": {"projekt": "APP"}}, "tools/1/fixed/projekt"),
            ({"tool": "tracker.list_issues", "defaults": {"limit": "many"}}, "tools/1/defaults/limit"),
            ({"tool": "tracker.list_issues", "name": "Not a name"}, "tools/1/name"),
            ({"tool": "tracker.no_such"}, "tools/1/tool"),
            ({"tool": "no_such"}, "tools/1/tool"),
            ({"fixed": {}}, "tools/1/tool"),
            ({"id": "7"}, "tools/1/id"),
            ({"id": "00000000-0000-0000-0000-000000000000"}, "tools/1/id"),
            ({"tool": "tracker.list_issues", "conections": []}, "tools/1/conections"),
            ({"tool": "tracker.list_issues", "connections": ["7"]}, "tools/1/connections"),
            ("tracker.list_issues", "tools/1"),
        ],
    )
    def test_what_is_wrong_is_told_by_its_place_and_nothing_is_saved(
        self, rpc: Rpc, tracker: Connector, tool: Any, path: str
    ) -> None:
        assert problems(rpc, toolbox="new", name="Bugs", tools=[{"tool": "tracker.create_issue"}, tool]) == [path]
        assert not Toolbox.objects.exists()

    def test_a_name_that_is_taken_or_missing_is_told_by_its_place(self, rpc: Rpc, bob: Member) -> None:
        toolbox(bob, "Bugs")
        assert problems(rpc, toolbox="new") == ["name"]
        assert problems(rpc, toolbox="new", name="Bugs") == ["name"]

    def test_an_account_that_is_not_within_reach_cannot_be_pinned(
        self, rpc: Rpc, tracker: Connector, alice: Member
    ) -> None:
        hers = cast.connection(alice, tracker, "Alice's own")
        tool = {"tool": "tracker.list_issues", "connections": [str(hers.pk)]}
        error = refusal(rpc, "elaichi__toolbox__save", toolbox="new", name="Bugs", tools=[tool])
        assert [problem["path"] for problem in error["problems"]] == ["tools/0"]
        assert "Alice's own" not in error["message"]

    def test_a_tool_that_a_rule_denies_cannot_be_saved(self, rpc: Rpc, tracker: Connector, bob: Member) -> None:
        restrictions.create(
            subject=bob, mode=Restriction.Mode.BLOCK, tools=["tracker.list_issues"], surface=Surface.SYSTEM
        )
        error = refusal(
            rpc, "elaichi__toolbox__save", toolbox="new", name="Bugs", tools=[{"tool": "tracker.list_issues"}]
        )
        assert error["code"] == "restricted"

    def test_whoever_may_not_change_it_is_told_whom_to_ask(self, rpc: Rpc, alice: Member, bob: Member) -> None:
        box = toolbox(alice)
        assert refusal(rpc, "elaichi__toolbox__save", toolbox=str(box.pk), name="Mine")["code"] == "not_found"
        share(box, bob)
        error = refusal(rpc, "elaichi__toolbox__save", toolbox=str(box.pk), name="Mine")
        assert (error["code"], error["owner"]) == ("permission_required", "alice@acme.example")


class TestReading:
    def test_a_list_tells_what_is_shared_and_how_far(self, rpc: Rpc, bob: Member, alice: Member) -> None:
        toolbox(bob, "Own")
        share(toolbox(alice, "Hers"), bob)
        toolbox(alice, "Private")
        rows = called(rpc, "toolbox__list")["toolboxes"]
        assert {row["name"]: (row["access"], row["tools"]) for row in rows} == {"Own": ("owner", 0), "Hers": ("use", 0)}

    def test_templates_are_listed_apart(self, rpc: Rpc, bob: Member, acme: Organization, alice: Member) -> None:
        toolbox(bob, "Own")
        share(toolbox(alice, "To stamp", is_template=True), acme)
        assert [row["name"] for row in called(rpc, "toolbox__list", templates=True)["toolboxes"]] == ["To stamp"]

    def test_who_only_uses_it_reads_labels_of_accounts_and_not_whom_it_is_shared_with(
        self, account: Connection, bob: Member, tracker: Connector, alice: Member
    ) -> None:
        box = toolbox(bob)
        freeze(box, tracker, "list_issues", connections=[account])
        share(box, alice)
        found = called(Rpc(cast.token(alice)), "toolbox__get", toolbox=str(box.pk))
        assert found["tools"][0]["connections"] == [{"label": "Bob's desk"}]
        assert "shared_with" not in found

    def test_of_a_tool_that_a_rule_withholds_no_value_is_told(
        self, rpc: Rpc, bob: Member, alice: Member, tracker: Connector
    ) -> None:
        box = toolbox(alice)
        freeze(box, tracker, "list_issues", fixed={"project": "TOP SECRET"})
        share(box, bob)
        restrictions.create(subject=bob, mode=Restriction.Mode.BLOCK, connectors=["tracker"], surface=Surface.SYSTEM)
        [tool] = called(rpc, "toolbox__get", toolbox=str(box.pk))["tools"]
        assert tool == {
            "id": tool["id"],
            "tool": "tracker.list_issues",
            "restricted": {"by": "user", "scope": "connector"},
        }


class TestSharingAndEnding:
    def test_it_is_shared_and_taken_back(self, rpc: Rpc, bob: Member, alice: Member) -> None:
        box = toolbox(bob)
        given = {"toolbox": str(box.pk), "grantee": "alice@acme.example"}
        shared = called(rpc, "toolbox__share", **given, level="use")
        assert shared["shared_with"] == [{"member": str(alice), "level": "use"}]
        assert called(rpc, "toolbox__share", **given, level="none")["shared_with"] == []

    def test_a_deletion_says_who_had_it(self, rpc: Rpc, bob: Member, acme: Organization) -> None:
        box = toolbox(bob)
        share(box, cast.team(acme, "Support"))
        gone = called(rpc, "toolbox__delete", toolbox=str(box.pk))
        assert (gone["name"], gone["was_shared_with"]) == ("Support", [{"team": "Support", "level": "use"}])
        assert not Toolbox.objects.exists()
        assert AuditEvent.objects.filter(action="toolbox.delete").count() == 1

    def test_a_template_is_stamped_and_says_what_was_left_out(
        self, rpc: Rpc, bob: Member, alice: Member, tracker: Connector, acme: Organization
    ) -> None:
        box = toolbox(alice, "Starter", is_template=True, skill="Ask.")
        freeze(box, tracker, "list_issues")
        freeze(box, tracker, "create_issue")
        share(box, acme)
        restrictions.create(
            subject=bob, mode=Restriction.Mode.BLOCK, tools=["tracker.create_issue"], surface=Surface.SYSTEM
        )
        made = called(rpc, "template__stamp", template=str(box.pk), name="My start")
        assert (made["name"], made["owner"], made["skill"]) == ("My start", "bob@acme.example", "Ask.")
        assert [tool["tool"] for tool in made["tools"]] == ["tracker.list_issues"]
        assert made["left_out"] == ["tracker.create_issue"]

    def test_what_is_no_template_cannot_be_stamped(self, rpc: Rpc, bob: Member) -> None:
        error = refusal(rpc, "elaichi__template__stamp", template=str(toolbox(bob).pk), name="Another")
        assert error["code"] == "not_found"


class TestAConfinedClient:
    def test_it_reads_its_toolbox_alone_and_changes_none(self, bob: Member, tracker: Connector) -> None:
        box, other = toolbox(bob), toolbox(bob, "Other", is_template=True)
        freeze(box, tracker, "list_issues")
        rpc = Rpc(cast.token(bob))
        Grant.objects.filter(member=bob).update(toolboxes=[box.pk])
        assert [row["name"] for row in called(rpc, "toolbox__list")["toolboxes"]] == ["Support"]
        assert refusal(rpc, "elaichi__toolbox__get", toolbox=str(other.pk))["code"] == "not_found"
        pk = str(box.pk)
        attempts: dict[str, dict[str, Any]] = {
            "toolbox__save": {"toolbox": pk, "tools": [{"tool": "tracker.create_issue"}]},
            "toolbox__share": {"toolbox": pk, "grantee": "everyone", "level": "use"},
            "toolbox__delete": {"toolbox": pk},
        }
        for verb, arguments in attempts.items():
            assert "confined" in refusal(rpc, f"elaichi__{verb}", **arguments)["message"]
        assert refusal(rpc, "elaichi__toolbox__save", toolbox="new", name="Wider")["code"] == "permission_required"
        assert FrozenTool.objects.count() == 1
        assert not box.shares.exists()


def test_a_guest_reads_toolboxes_and_makes_none(acme: Organization, alice: Member) -> None:
    guest = cast.member(acme, "gus", "guest")
    share(toolbox(alice), guest)
    rpc = Rpc(cast.token(guest))
    assert len(called(rpc, "toolbox__list")["toolboxes"]) == 1
    assert refusal(rpc, "elaichi__toolbox__save", toolbox="new", name="Mine")["permission"] == "toolbox:create"
