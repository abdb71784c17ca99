"""What an approved request opens, for whom, and until when."""

import pytest
from pytest_django import DjangoAssertNumQueries

from accesscontrol import resolver
from accesscontrol.exceptions import PermissionRequired
from accesscontrol.models import AuditEvent, Member, Organization, Restriction, Surface
from accesscontrol.policy import ToolRef
from accesscontrol.services import access_requests, restrictions
from connectors.models import Connector, Tool
from tests import cast
from tests.accesscontrol.asking import approve, ask, block, operated, refused
from tests.search.mcp.rpc import Rpc


class TestAnExemption:
    def test_it_opens_the_tool_for_that_member_alone_until_it_is_revoked(
        self, rpc: Rpc, acme: Organization, notion: Connector, bob: Member, pam: Member
    ) -> None:
        bea = cast.member(acme, "bea")
        cast.connection(bea, notion)
        other = Rpc(cast.token(bea))
        exemption = approve(ask(bob), pam)
        found = rpc.found("delete page")
        assert found["result"][0]["name"] == "notion_delete_page"
        assert found["restricted_count"] == 0
        # The tool's upstream is not there: that it was tried is proof that no gate stood in the way.
        assert refused(rpc, "notion_delete_page")["code"] in ("blocked_address", "upstream_unreachable")
        assert other.found("delete page")["restricted_count"] == 1
        assert refused(other, "notion_delete_page")["code"] == "restricted"
        assert access_requests.revoke(exemption=exemption, surface=Surface.ADMIN, actor=pam)
        assert rpc.found("delete page")["restricted_count"] == 1
        assert refused(rpc, "notion_delete_page")["by"] == "role"

    def test_it_lifts_no_rule_in_person_that_comes_later(self, rpc: Rpc, bob: Member) -> None:
        approve(ask(bob))
        block(bob, tools=["notion.delete_page"])
        assert refused(rpc, "notion_delete_page")["by"] == "user"

    def test_it_lifts_only_what_it_names(self, rpc: Rpc, bob: Member) -> None:
        block(bob.role, connectors=["notion"])
        approve(ask(bob))
        assert refused(rpc, "notion_get_page")["scope"] == "connector"
        assert refused(rpc, "notion_delete_page")["code"] != "restricted"
        approve(ask(bob, "notion", ""))
        assert refused(rpc, "notion_get_page")["code"] != "restricted"

    def test_it_lifts_an_allow_list_s_denial(self, rpc: Rpc, bob: Member) -> None:
        restrictions.create(subject=bob.role, mode=Restriction.Mode.ALLOW, tools=["xero.pay"], surface=Surface.SYSTEM)
        approve(ask(bob, tool="get_page"))
        assert refused(rpc, "notion_get_page")["code"] != "restricted"

    def test_it_survives_that_the_tool_vanishes_and_returns(self, rpc: Rpc, notion: Connector, bob: Member) -> None:
        approve(ask(bob))
        Tool.objects.filter(name="delete_page").delete()
        assert resolver.load(bob).decide(ToolRef("notion", (), "delete_page")).allowed
        cast.tool(notion, "delete_page", "Delete a page", method="DELETE")
        assert refused(rpc, "notion_delete_page")["code"] != "restricted"

    def test_revoking_takes_the_permission_and_counts_once(self, notion: Connector, bob: Member, pam: Member) -> None:
        exemption = approve(ask(bob))
        with pytest.raises(PermissionRequired):
            access_requests.revoke(exemption=exemption, surface=Surface.ADMIN, actor=bob)
        assert access_requests.revoke(exemption=exemption, surface=Surface.ADMIN, actor=pam)
        assert not access_requests.revoke(exemption=exemption, surface=Surface.ADMIN, actor=pam)
        assert AuditEvent.objects.get(action="exemption.revoke").actor == pam
        approve(ask(bob))

    def test_giving_and_ending_it_bump_the_version(self, notion: Connector, bob: Member) -> None:
        def version() -> int:
            return Organization.objects.get(pk=bob.organization_id).version

        request, before = ask(bob), version()
        exemption, given = approve(request), version()
        access_requests.revoke(exemption=exemption, surface=Surface.SYSTEM)
        assert before < given < version()

    def test_rules_and_exemptions_come_in_one_query(
        self, notion: Connector, bob: Member, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        block(bob, connectors=["xero"])
        approve(ask(bob))
        with django_assert_num_queries(1):
            policy = resolver.load(bob)
        assert policy.decide(ToolRef("notion", (), "delete_page")).allowed
        assert policy.decide(ToolRef("xero", (), "pay")).layer == "user"


def test_the_rules_that_restrict_a_member_are_listed_without_author_note_and_other_people(
    rpc: Rpc, bob: Member, acme: Organization
) -> None:
    assert refused(rpc, "elaichi__restriction__list")["permission"] == "restriction:view"
    tess = cast.member(acme, "tess", "team-admin")
    block(tess.role, connectors=["xero"], note="secret note")
    block(tess, tools=["notion.get_page"])
    approve(ask(tess, "xero", ""))
    said = operated(Rpc(cast.token(tess)), "elaichi__restriction__list")
    rules = sorted((row["by"], row["mode"], *row["connectors"], *row["tools"]) for row in said["restrictions"])
    assert rules == [("role", "block", "xero"), ("user", "block", "notion.get_page")]
    assert said["exemptions"] == [{"connector": "xero"}]
    assert "secret note" not in str(said)
