"""Prompts, resources and suggestions: what is offered to whom, and what each holds."""

import json
from base64 import b64encode
from typing import Any

import pytest
from django.conf import settings

from accesscontrol.models import AuditEvent, Member, Organization, Surface
from accesscontrol.permissions import Scope
from connectors.files.storing import Origin, store
from connectors.models import Level, StoredFile, Toolbox
from connectors.services import toolboxes
from connectors.services.connections import disconnect
from search.mcp import stored_files
from tests import cast
from tests.connectors.toolboxes import share, toolbox
from tests.search.mcp.rpc import LEGACY, MODERN, Rpc

OF_A_MEMBER = ["build_shared_toolbox", "connect_app", "diagnose_missing_tool"]
OF_AN_OWNER = ["audit_access", *OF_A_MEMBER, "offboard_member"]


def names(rpc: Rpc) -> list[str]:
    return [prompt["name"] for prompt in rpc.result("prompts/list")["prompts"]]


def text_of(result: dict[str, Any]) -> str:
    [message] = result["messages"]
    return str(message["content"]["text"])


@pytest.fixture(params=[LEGACY, MODERN])
def rpc(bob: Member, request: pytest.FixtureRequest) -> Rpc:
    return Rpc(cast.token(bob), version=request.param)


def test_a_prompt_is_offered_where_every_operation_of_its_is(rpc: Rpc, alice: Member) -> None:
    assert [name for name in names(Rpc(cast.token(alice))) if name in OF_AN_OWNER] == OF_AN_OWNER
    assert [name for name in names(rpc) if name in OF_AN_OWNER] == OF_A_MEMBER


def test_a_grant_that_may_only_read_has_no_prompt_that_connects(bob: Member) -> None:
    rpc = Rpc(cast.token(bob, scopes=[Scope.READ]))
    assert "connect_app" not in names(rpc)
    response = rpc.send("prompts/get", {"name": "connect_app", "arguments": {"app": "Notion"}})
    assert rpc.error(response)["code"] == -32602


def test_a_prompt_names_operations_that_exist_and_what_was_given(rpc: Rpc) -> None:
    result = rpc.result("prompts/get", {"name": "connect_app", "arguments": {"app": "Notion & Co"}})
    assert "Connect my account at Notion & Co." in text_of(result)
    listed = {tool["name"] for tool in rpc.result("tools/list")["tools"]} | {"search_tools", "execute_tool"}
    called = {word.strip(".,:;") for word in text_of(result).split() if word.startswith("elaichi__")}
    assert called
    assert called <= listed


@pytest.mark.parametrize("name", OF_AN_OWNER)
def test_every_prompt_names_only_operations_that_it_needs(alice: Member, name: str) -> None:
    rpc = Rpc(cast.token(alice))
    given = {"app": "x", "task": "x", "member": "x", "purpose": "x"}
    text = text_of(rpc.result("prompts/get", {"name": name, "arguments": given}))
    listed = {tool["name"] for tool in rpc.result("tools/list")["tools"]}
    assert {word.strip(".,:;") for word in text.split() if word.startswith("elaichi__")} <= listed


def test_an_argument_that_is_missing_is_named(rpc: Rpc) -> None:
    error = rpc.error(rpc.send("prompts/get", {"name": "connect_app"}))
    assert (error["code"], error["message"]) == (-32602, "Give the argument app: The app, as people call it.")


def test_a_prompt_that_is_not_there_is_an_error_of_its_params(rpc: Rpc) -> None:
    assert rpc.error(rpc.send("prompts/get", {"name": "no_such_prompt"}))["code"] == -32602


def test_the_connections_can_be_read_together_and_one_by_one(rpc: Rpc, bob: Member, acme: Organization) -> None:
    account = cast.connection(bob, cast.connector(acme), "Main")
    found = rpc.result("resources/read", {"uri": "elaichi://connections"})
    [row] = json.loads(found["contents"][0]["text"])["connections"]
    assert (row["label"], row["status"]) == ("Main", "active")
    uri = f"elaichi://connection/{account.pk}"
    [one] = rpc.result("resources/read", {"uri": uri})["contents"]
    assert (one["uri"], one["mimeType"], json.loads(one["text"])) == (uri, "application/json", row)


@pytest.mark.parametrize(
    "uri", ["elaichi://connection/00000000-0000-0000-0000-000000000000", "elaichi://connection/7", "other://x"]
)
def test_what_is_not_there_is_said_under_the_code_of_the_era(rpc: Rpc, uri: str) -> None:
    error = rpc.error(rpc.send("resources/read", {"uri": uri}))
    assert error["code"] == (-32602 if rpc.version == MODERN else -32002)
    assert error["data"] == {"uri": uri}


def test_a_connection_of_somebody_else_is_not_there(rpc: Rpc, alice: Member, acme: Organization) -> None:
    account = cast.connection(alice, cast.connector(acme), "Alice's own")
    uri = f"elaichi://connection/{account.pk}"
    assert "error" in rpc.send("resources/read", {"uri": uri}).json()


def test_an_address_is_suggested_for_a_template(rpc: Rpc, bob: Member, acme: Organization) -> None:
    account = cast.connection(bob, cast.connector(acme), "Main")
    ref = {"type": "ref/resource", "uri": "elaichi://connection/{id}"}
    result = rpc.result("completion/complete", {"ref": ref, "argument": {"name": "id", "value": str(account.pk)[:4]}})
    assert result["completion"] == {"values": [str(account.pk)], "total": 1, "hasMore": False}


def test_apps_are_suggested_by_what_was_typed(rpc: Rpc, acme: Organization) -> None:
    for slug, label in (("notion", "Notion"), ("zendesk", "Zendesk"), ("trello", "Trello")):
        cast.connector(acme, slug, label)
    ref = {"type": "ref/prompt", "name": "connect_app"}
    for typed, expected in (("no", ["Notion"]), ("", ["Notion", "Trello", "Zendesk"]), ("DESK", ["Zendesk"])):
        result = rpc.result("completion/complete", {"ref": ref, "argument": {"name": "app", "value": typed}})
        assert result["completion"]["values"] == expected


def test_nothing_is_suggested_for_a_prompt_that_is_not_offered(rpc: Rpc) -> None:
    ref = {"type": "ref/prompt", "name": "no_such_prompt"}
    response = rpc.send("completion/complete", {"ref": ref, "argument": {"name": "member", "value": ""}})
    assert rpc.error(response)["code"] == -32602


@pytest.mark.parametrize("method", ["prompts/list", "resources/list", "resources/templates/list"])
def test_every_list_is_whole_on_its_first_page(rpc: Rpc, method: str) -> None:
    assert "nextCursor" not in rpc.result(method)
    assert "nextCursor" not in rpc.result(method, {"cursor": ""})
    assert rpc.error(rpc.send(method, {"cursor": "abc"}))["code"] == -32602


def test_a_toolbox_is_built_for_a_team_of_the_organization(rpc: Rpc, acme: Organization) -> None:
    cast.team(acme, "Support")
    ref = {"type": "ref/prompt", "name": "build_shared_toolbox"}
    result = rpc.result("completion/complete", {"ref": ref, "argument": {"name": "team", "value": "s"}})
    assert result["completion"]["values"] == ["Support"]
    given = {"purpose": "answering refunds", "team": "Support"}
    text = text_of(rpc.result("prompts/get", {"name": "build_shared_toolbox", "arguments": given}))
    assert text.startswith("Build a toolbox for this: answering refunds. It is for the team Support.")
    assert "share it with Support" in text
    alone = rpc.result("prompts/get", {"name": "build_shared_toolbox", "arguments": {"purpose": "refunds"}})
    assert "Ask with whom" in text_of(alone)


class TestAToolboxsInstructions:
    @pytest.fixture
    def box(self, alice: Member) -> Toolbox:
        return toolbox(alice, "Desk", skill="# Ask first\nAlways.")

    def uri(self, box: Toolbox) -> str:
        return f"elaichi://toolbox/{box.pk}/skill"

    def test_they_are_read_by_whoever_may_use_its_tools(self, rpc: Rpc, box: Toolbox, bob: Member) -> None:
        share(box, bob)
        [found] = rpc.result("resources/read", {"uri": self.uri(box)})["contents"]
        assert found == {"uri": self.uri(box), "mimeType": "text/markdown", "text": "# Ask first\nAlways."}
        ref = {"type": "ref/resource", "uri": "elaichi://toolbox/{id}/skill"}
        asked = {"ref": ref, "argument": {"name": "id", "value": ""}}
        assert rpc.result("completion/complete", asked)["completion"]["values"] == [str(box.pk)]

    def test_they_are_not_there_for_others(self, rpc: Rpc, box: Toolbox, bob: Member, charlie: Member) -> None:
        foreign = toolbox(charlie, "Foreign", skill="secret plans")
        for one in (box, foreign):
            assert "error" in rpc.send("resources/read", {"uri": self.uri(one)}).json()
        share(box, bob, Level.VIEW)
        assert "error" in rpc.send("resources/read", {"uri": self.uri(box)}).json()

    def test_a_disabled_toolbox_has_none(self, rpc: Rpc, box: Toolbox, bob: Member, alice: Member) -> None:
        share(box, bob)
        toolboxes.change(toolbox=box, enabled=False, surface=Surface.SYSTEM, actor=alice)
        assert "error" in rpc.send("resources/read", {"uri": self.uri(box)}).json()


class TestAStoredFile:
    def kept(self, of: Member, data: bytes, media_type: str = "text/plain") -> StoredFile:
        return store(member=of, name="notes.txt", media_type=media_type, data=data)

    def read(self, rpc: Rpc, file: StoredFile) -> dict[str, Any]:
        [found] = rpc.result("resources/read", {"uri": f"elaichi://file/{file.pk}"})["contents"]
        return dict(found)

    def test_text_comes_as_text_and_the_rest_as_bytes(self, rpc: Rpc, bob: Member) -> None:
        assert self.read(rpc, self.kept(bob, "grüß dich".encode()))["text"] == "grüß dich"
        picture = self.read(rpc, self.kept(bob, b"\x89PNG\0", "image/png"))
        assert (picture["mimeType"], picture["blob"]) == ("image/png", b64encode(b"\x89PNG\0").decode())
        assert "blob" in self.read(rpc, self.kept(bob, b"\xff\xfe", "text/plain"))

    def test_a_large_one_is_an_address_to_open_it_at(self, rpc: Rpc, bob: Member) -> None:
        said = self.read(rpc, self.kept(bob, b"x" * (stored_files.MAX_BYTES + 1)))["text"]
        assert said.startswith("notes.txt has 1,048,577 bytes. By 2")
        assert f"{settings.PUBLIC_URL}/files/" in said
        assert self.read(rpc, self.kept(bob, b"x" * stored_files.MAX_BYTES))["text"].startswith("xxx")

    def test_another_s_is_not_there(self, rpc: Rpc, alice: Member) -> None:
        file = self.kept(alice, b"hers")
        assert "error" in rpc.send("resources/read", {"uri": f"elaichi://file/{file.pk}"}).json()

    def test_what_came_through_an_account_goes_with_it(self, rpc: Rpc, bob: Member, acme: Organization) -> None:
        account = cast.connection(bob, connector := cast.connector(acme))
        origin = Origin(tool=cast.tool(connector, "export"), connection=account)
        file = store(member=bob, name="a", media_type="text/plain", data=b"x", origin=origin)
        assert self.read(rpc, file)["text"] == "x"
        disconnect(connection=account, surface=Surface.SYSTEM, actor=bob)
        assert "error" in rpc.send("resources/read", {"uri": f"elaichi://file/{file.pk}"}).json()
        outcomes = AuditEvent.objects.filter(action="file.open").order_by("at").values_list("outcome", flat=True)
        assert list(outcomes) == ["ok", "needs_reauth"]
