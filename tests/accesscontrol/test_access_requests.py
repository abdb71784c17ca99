"""Asking for what is restricted, withdrawing it, and the answers."""

from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction

from accesscontrol import resolver
from accesscontrol.exceptions import Conflict, MemberNotActive, NotFound, PermissionRequired
from accesscontrol.models import AccessRequest, AuditEvent, Exemption, Member, Organization, Restriction, Surface
from accesscontrol.permissions import Scope
from accesscontrol.policy import ToolRef
from accesscontrol.services import access_requests, memberships, restrictions
from accesscontrol.services.access_requests import NotLiftable, NotRestricted, OwnRequest
from connectors.models import Connection, Connector
from tests import cast
from tests.accesscontrol.asking import CREATE, DELETE_PAGE, LIST, WITHDRAW, approve, ask, block, operated, refused
from tests.search.mcp.rpc import Rpc

State = AccessRequest.State


class TestAsking:
    def test_every_refusal_hands_out_the_call_that_asks_and_that_call_works(self, rpc: Rpc) -> None:
        expected: dict[str, Any] = {"operation": CREATE, "arguments": DELETE_PAGE}
        row = next(row for row in rpc.found("delete page")["result"] if "restricted" in row)
        assert row["restricted"] == {"by": "role", "scope": "tool", "request_access": expected}
        direct = refused(rpc, "notion_delete_page")
        assert direct == refused(rpc, "execute_tool", name="notion_delete_page", arguments={})
        assert direct["request_access"] == expected
        assert CREATE in direct["message"]
        asked = operated(rpc, expected["operation"], **DELETE_PAGE, reason="Clean-up in March")["request"]
        assert {**DELETE_PAGE, "state": "open", "times_asked": 1}.items() <= asked.items()

    def test_the_reason_is_for_administrators_alone(self, rpc: Rpc) -> None:
        made = operated(rpc, CREATE, **DELETE_PAGE, reason="a private matter\0")
        assert AccessRequest.objects.get().reason == "a private matter"
        assert "private" not in str([made, operated(rpc, LIST), list(AuditEvent.objects.values())])
        long = refused(rpc, CREATE, **DELETE_PAGE, reason="x" * 501)
        assert [problem["path"] for problem in long["problems"]] == ["reason"]

    def test_asking_again_is_counted_on_the_open_request_and_the_last_reason_stays(self, rpc: Rpc) -> None:
        first = operated(rpc, CREATE, **DELETE_PAGE, reason="First")["request"]
        operated(rpc, CREATE, **DELETE_PAGE, reason="Second")
        third = operated(rpc, CREATE, **DELETE_PAGE)["request"]
        assert (third["id"], third["times_asked"]) == (first["id"], 3)
        assert AccessRequest.objects.get().reason == "Second"

    @pytest.mark.parametrize(
        "names", [{"connector": "notion", "tool": "get_page"}, {"connector": "notion"}, {"connector": "unknown"}]
    )
    def test_what_is_not_restricted_cannot_be_asked_for(self, rpc: Rpc, names: dict[str, str]) -> None:
        assert refused(rpc, CREATE, **names)["code"] == "conflict"
        assert not AccessRequest.objects.exists()

    @pytest.mark.parametrize("names", [{"connector": "no.dots"}, {"connector": ""}, {"connector": "x", "tool": "a b"}])
    def test_what_is_no_name_is_told(self, rpc: Rpc, names: dict[str, str]) -> None:
        assert refused(rpc, CREATE, **names)["code"] == "invalid_arguments"

    def test_a_guest_may_ask_and_a_client_without_the_scope_may_not(
        self, notion: Connector, acme: Organization
    ) -> None:
        guest = cast.member(acme, "gus", "guest")
        block(guest.role, connectors=["notion"])
        assert operated(Rpc(cast.token(guest)), CREATE, connector="notion")["request"]["state"] == "open"
        reading = Rpc(cast.token(guest, scopes=[Scope.READ]))
        assert refused(reading, CREATE, connector="notion")["scope"] == "mcp:write"

    def test_what_only_a_fork_s_origin_is_blocked_for_can_be_asked_for(self, notion: Connector, bob: Member) -> None:
        cast.connector(bob.organization, "notion2", "Notion 2", lineage=["notion"])
        exemption = approve(ask(bob, "notion2"))
        assert resolver.load(bob).decide(ToolRef("notion2", ("notion",), "delete_page")).allowed
        assert not resolver.load(bob).decide(ToolRef("notion", (), "delete_page")).allowed
        assert exemption.target == "notion2.delete_page"

    def test_open_requests_of_one_member_are_bounded(self, bob: Member, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(access_requests, "MAX_OPEN", 2)
        block(bob, connectors=["a", "b", "c"])
        for slug in ("a", "b", "a"):
            ask(bob, slug, "")
        with pytest.raises(Conflict, match="2 open requests"):
            ask(bob, "c", "")

    def test_a_member_who_was_suspended_asks_nothing(self, notion: Connector, bob: Member) -> None:
        memberships.suspend(member=bob, surface=Surface.SYSTEM)
        with pytest.raises(MemberNotActive):
            ask(bob)

    def test_one_open_request_for_the_same_also_in_the_database(self, notion: Connector, bob: Member) -> None:
        ask(bob)
        with pytest.raises(IntegrityError), transaction.atomic():
            AccessRequest.objects.create(member=bob, **DELETE_PAGE)


class TestWithdrawing:
    def test_a_withdrawn_request_is_kept_and_a_new_one_may_follow(self, rpc: Rpc) -> None:
        first = operated(rpc, CREATE, **DELETE_PAGE)["request"]
        assert operated(rpc, WITHDRAW, id=first["id"])["request"]["state"] == "withdrawn"
        assert refused(rpc, WITHDRAW, id=first["id"])["code"] == "conflict"
        second = operated(rpc, CREATE, **DELETE_PAGE)["request"]
        assert second["times_asked"] == 1
        listed = operated(rpc, LIST)["requests"]
        assert sorted((row["id"], row["state"]) for row in listed) == sorted(
            [(first["id"], "withdrawn"), (second["id"], "open")]
        )

    def test_somebody_else_s_request_is_not_found_like_one_that_never_was(
        self, rpc: Rpc, acme: Organization, charlie: Member
    ) -> None:
        colleague = cast.member(acme, "bea")
        block(charlie.role, connectors=["notion"])
        answers = [
            refused(rpc, WITHDRAW, id=identifier)
            for identifier in (str(ask(colleague).pk), str(ask(charlie).pk), str(uuid4()), "17")
        ]
        assert answers[0]["code"] == "not_found"
        assert all(answer == answers[0] for answer in answers)
        assert operated(rpc, LIST) == {"requests": []}


class TestAnswering:
    def test_nobody_approves_or_denies_their_own(self, pam: Member) -> None:
        block(pam.role, connectors=["notion"])
        request = ask(pam)
        for answer in (access_requests.approve, access_requests.deny):
            with pytest.raises(OwnRequest):
                answer(request=request, surface=Surface.ADMIN, actor=pam)
        assert not Exemption.objects.exists()

    def test_it_takes_an_administrator_of_the_same_organization(
        self, notion: Connector, bob: Member, acme: Organization, charlie: Member
    ) -> None:
        request = ask(bob)
        for actor in (cast.member(acme, "bea", "team-admin"), charlie):
            for answer in (access_requests.approve, access_requests.deny):
                with pytest.raises(PermissionRequired, match="restriction:manage"):
                    answer(request=request, surface=Surface.ADMIN, actor=actor)

    def test_an_answer_is_final_recorded_and_told_to_who_asked(self, rpc: Rpc, bob: Member, pam: Member) -> None:
        request = ask(bob)
        access_requests.deny(request=request, answer="Use the archive.", surface=Surface.ADMIN, actor=pam)
        row = operated(rpc, LIST)["requests"][0]
        assert (row["state"], row["answer"]) == ("denied", "Use the archive.")
        assert pam.user.email not in str(row)
        for answer in (access_requests.approve, access_requests.deny):
            with pytest.raises(Conflict, match="denied already"):
                answer(request=request, surface=Surface.ADMIN, actor=pam)
        request.refresh_from_db()
        assert (request.state, request.resolved_by) == (State.DENIED, pam)
        assert AuditEvent.objects.get(action="access_request.deny").actor == pam

    def test_a_rule_in_person_stands_in_the_way_and_is_named_as_such(
        self, notion: Connector, bob: Member, pam: Member
    ) -> None:
        rule = block(bob, connectors=["notion"])
        request = ask(bob)
        with pytest.raises(
            NotLiftable, match=r"A rule for bob@acme\.example in person restricts the whole app"
        ) as said:
            approve(request, pam)
        assert (said.value.help, request.state) == ({"by": "user", "scope": "connector"}, State.OPEN)
        restrictions.delete(restriction=rule, surface=Surface.SYSTEM)
        approve(request, pam)

    def test_what_nothing_restricts_any_more_is_not_approved(self, notion: Connector, bob: Member, pam: Member) -> None:
        request = ask(bob)
        Restriction.objects.all().delete()
        with pytest.raises(NotLiftable, match="any more"):
            approve(request, pam)

    def test_a_suspended_member_gets_no_exemption_but_may_be_denied_one(
        self, notion: Connector, bob: Member, pam: Member
    ) -> None:
        request = ask(bob)
        memberships.suspend(member=bob, surface=Surface.SYSTEM)
        with pytest.raises(MemberNotActive):
            approve(request, pam)
        access_requests.deny(request=request, surface=Surface.ADMIN, actor=pam)

    def test_a_removal_ends_what_was_asked_and_given(self, notion: Connector, bob: Member) -> None:
        Connection.objects.all().delete()
        block(bob.role, connectors=["xero"])
        exemption, request = approve(ask(bob)), ask(bob, "xero", "")
        memberships.remove(member=bob, surface=Surface.SYSTEM)
        request.refresh_from_db()
        exemption.refresh_from_db()
        assert (request.state, bool(exemption.revoked_at)) == (State.WITHDRAWN, True)

    @pytest.mark.parametrize("verb", ["approve", "deny", "resolve"])
    def test_no_client_can_answer_a_request(self, rpc: Rpc, alice: Member, verb: str) -> None:
        name = f"elaichi__access_request__{verb}"
        for client in (rpc, Rpc(cast.token(alice))):
            said = refused(client, name, id="x")
            assert (said["code"], said["where"]) == (
                "only_in_admin",
                "http://127.0.0.1:8000/admin/accesscontrol/accessrequest/",
            )
            assert said == refused(client, "execute_tool", name=name, arguments={"id": "x"})
            assert name not in [tool["name"] for tool in client.result("tools/list")["tools"]]
        assert set(AuditEvent.objects.filter(target=name).values_list("outcome", flat=True)) == {"only_in_admin"}


def test_asking_for_nothing_that_is_restricted_says_so(bob: Member) -> None:
    with pytest.raises(NotRestricted, match=r"notion\.delete_page is not restricted"):
        ask(bob)
    with pytest.raises(NotFound):
        access_requests.withdraw(member=bob, request_id=uuid4(), surface=Surface.SYSTEM)
