"""A product renames tools: they stay what they are, and whatever names them follows; nothing opens by that."""

from dataclasses import replace
from datetime import timedelta
from random import Random
from uuid import UUID

import pytest
from django.utils import timezone

from accesscontrol import resolver
from accesscontrol.models import AccessRequest, AuditEvent, Exemption, Member, Organization, Restriction, Surface
from accesscontrol.policy import Decision
from accesscontrol.services import restrictions
from connectors.catalog.document import Catalog, CatalogTool
from connectors.models import Connector, FrozenTool, Tool, ToolAlias, Toolbox
from tests import cast
from tests.accesscontrol.asking import approve, ask, block
from tests.connectors.catalog.desk import CREATE, DELETE, GET, LIST, bring_in, desk, others, renamed, request

BROWSE = renamed(LIST, "browse_tickets")
ERASE = renamed(DELETE, "erase_ticket")
ALLOW = Restriction.Mode.ALLOW


def _ids() -> dict[str, object]:
    return {tool.name: tool.pk for tool in Tool.objects.all()}


@pytest.mark.parametrize(
    "now",
    [
        pytest.param(BROWSE, id="the same request under another id"),
        pytest.param(replace(LIST, name="browse_tickets"), id="the same id and request"),
        pytest.param(
            replace(LIST, name="browse_tickets", binding=request(LIST, path="/v2/tickets")),
            id="the same id at another path",
        ),
    ],
)
def test_the_same_operation_under_another_name_stays_the_same_row(acme: Organization, now: CatalogTool) -> None:
    bring_in(acme)
    before = _ids()
    report = bring_in(acme, desk(now, *others(LIST)))
    assert report.renamed == (("list_tickets", "browse_tickets"),)
    assert (report.added, report.removed, report.changed) == ((), (), ("browse_tickets",))
    assert report.changes["browse_tickets"][0] == "renamed from list_tickets"
    assert report.as_json()["renamed"] == [{"old": "list_tickets", "new": "browse_tickets"}]
    assert _ids()["browse_tickets"] == before["list_tickets"]
    assert len(_ids()) == 4


def test_an_operation_with_another_id_and_another_request_is_another_tool(acme: Organization) -> None:
    bring_in(acme)
    report = bring_in(acme, desk(replace(BROWSE, binding=request(LIST, path="/all")), *others(LIST)))
    assert (report.added, report.removed, report.renamed) == (("browse_tickets",), ("list_tickets",), ())
    assert not ToolAlias.objects.exists()


def test_an_id_that_a_document_uses_twice_makes_no_renames(acme: Organization) -> None:
    one, two = (replace(LIST, name=name, operation="list", binding=request(LIST, path=path)) for name, path in PAIR)
    bring_in(acme, desk(one, two, *others(LIST)))
    now = desk(
        replace(one, name="c", binding=request(LIST, path="/c")),
        replace(two, name="d", binding=request(LIST, path="/d")),
        *others(LIST),
    )
    assert bring_in(acme, now).renamed == ()


PAIR = (("a", "/a"), ("b", "/b"))


def test_a_newcomer_that_takes_a_name_is_not_taken_for_the_tool_that_had_it(acme: Organization) -> None:
    bring_in(acme)
    before = _ids()
    newcomer = replace(LIST, operation="listAll", binding=request(LIST, path="/all"))
    report = bring_in(acme, desk(newcomer, replace(LIST, name="list_tickets_2"), *others(LIST)))
    assert (report.added, report.renamed) == (("list_tickets",), (("list_tickets", "list_tickets_2"),))
    assert _ids()["list_tickets_2"] == before["list_tickets"]
    assert not ToolAlias.objects.exists()


def test_two_tools_may_swap_their_names(acme: Organization) -> None:
    bring_in(acme)
    before = _ids()
    bring_in(acme, desk(replace(LIST, name=GET.name), replace(GET, name=LIST.name), *others(LIST, GET)))
    assert _ids() == before | {GET.name: before[LIST.name], LIST.name: before[GET.name]}
    assert not ToolAlias.objects.exists()


def test_a_dry_run_reports_renames_and_writes_none(acme: Organization) -> None:
    bring_in(acme)
    before = _ids()
    assert bring_in(acme, desk(BROWSE, *others(LIST)), dry_run=True).renamed == (("list_tickets", "browse_tickets"),)
    assert _ids() == before


class TestTheFormerName:
    def test_is_kept_for_ninety_days(self, acme: Organization) -> None:
        now = timezone.now()
        bring_in(acme)
        bring_in(acme, desk(BROWSE, *others(LIST)), now=now)
        alias = ToolAlias.objects.get()
        assert (alias.name, alias.tool.name) == ("list_tickets", "browse_tickets")
        assert alias.expires_at == now + timedelta(days=90)
        assert Tool.objects.get(name="browse_tickets").former_names == ["list_tickets"]

    def test_is_let_go_of_where_another_tool_takes_it(self, acme: Organization) -> None:
        bring_in(acme)
        bring_in(acme, desk(BROWSE, *others(LIST)))
        newcomer = replace(LIST, operation="listAll", binding=request(LIST, path="/all"))
        bring_in(acme, desk(BROWSE, newcomer, *others(LIST)))
        assert not ToolAlias.objects.exists()

    def test_is_let_go_of_where_another_tool_would_be_called_by_it(self, acme: Organization) -> None:
        bring_in(acme)
        bring_in(acme, desk(BROWSE, *others(LIST)))
        newcomer = replace(LIST, name="desk_list_tickets", operation="listAll", binding=request(LIST, path="/all"))
        bring_in(acme, desk(BROWSE, newcomer, *others(LIST)))
        assert not ToolAlias.objects.exists()

    def test_is_let_go_of_where_the_tool_takes_it_back(self, acme: Organization) -> None:
        bring_in(acme)
        bring_in(acme, desk(BROWSE, *others(LIST)))
        bring_in(acme)
        assert [alias.name for alias in ToolAlias.objects.all()] == ["browse_tickets"]

    def test_leads_to_the_tool_through_further_renames(self, acme: Organization) -> None:
        bring_in(acme)
        bring_in(acme, desk(BROWSE, *others(LIST)))
        bring_in(acme, desk(renamed(LIST, "scan_tickets"), *others(LIST)))
        leads = {alias.name: alias.tool.name for alias in ToolAlias.objects.all()}
        assert leads == {"list_tickets": "scan_tickets", "browse_tickets": "scan_tickets"}

    def test_goes_with_its_tool(self, acme: Organization) -> None:
        bring_in(acme)
        bring_in(acme, desk(BROWSE, *others(LIST)))
        bring_in(acme, desk(*others(LIST)))
        assert not ToolAlias.objects.exists()


class TestRules:
    def test_name_the_new_name_too(self, acme: Organization, bob: Member) -> None:
        bring_in(acme)
        blocked = block(bob.role, tools=["desk.get_ticket", "desk.delete_ticket"])
        allowed = restrictions.create(subject=bob, mode=ALLOW, tools=["desk.list_tickets"], surface=Surface.SYSTEM)
        bring_in(acme, desk(ERASE, BROWSE, *others(DELETE, LIST)))
        assert _tools(blocked) == ["desk.get_ticket", "desk.delete_ticket", "desk.erase_ticket"]
        assert _tools(allowed) == ["desk.list_tickets", "desk.browse_tickets"]

    def test_stay_as_they_are_where_they_name_other_tools_or_are_others_rules(
        self, acme: Organization, bob: Member
    ) -> None:
        bring_in(acme)
        elsewhere = cast.member(cast.organization("umbrella"), "eve")
        untouched = [
            block(bob, connectors=["desk"], tools=["desk.get_ticket", "desk2.delete_ticket"]),
            block(elsewhere, tools=["desk.delete_ticket"]),
        ]
        before = [_tools(rule) for rule in untouched]
        bring_in(acme, desk(ERASE, *others(DELETE)))
        assert [_tools(rule) for rule in untouched] == before

    def test_that_follow_leave_an_event_and_stay_their_author_s(
        self, acme: Organization, alice: Member, bob: Member
    ) -> None:
        bring_in(acme)
        rule = restrictions.create(
            subject=bob,
            mode=Restriction.Mode.BLOCK,
            tools=["desk.delete_ticket"],
            surface=Surface.ADMIN,
            actor=alice,
        )
        bring_in(acme, desk(ERASE, *others(DELETE)))
        event = AuditEvent.objects.get(action="restriction.follow_rename")
        assert event.target == f"restriction:{rule.pk}"
        assert event.detail == {"mode": "block", "added": ["desk.erase_ticket"], "removed": []}
        rule.refresh_from_db()
        assert rule.created_by == alice

    def test_that_allow_do_not_stay_with_a_name_that_another_tool_has_now(
        self, acme: Organization, bob: Member
    ) -> None:
        bring_in(acme)
        allowed = restrictions.create(subject=bob, mode=ALLOW, tools=["desk.get_ticket"], surface=Surface.SYSTEM)
        blocked = block(bob, tools=["desk.get_ticket"])
        bring_in(acme, desk(replace(DELETE, name="get_ticket"), replace(GET, name="read_ticket"), CREATE, LIST))
        assert _tools(allowed) == ["desk.read_ticket"]
        assert _tools(blocked) == ["desk.get_ticket", "desk.read_ticket"]

    def test_that_allow_let_go_of_a_former_name_that_a_newcomer_takes_later(
        self, acme: Organization, bob: Member
    ) -> None:
        bring_in(acme)
        allowed = restrictions.create(subject=bob, mode=ALLOW, tools=["desk.list_tickets"], surface=Surface.SYSTEM)
        blocked = block(bob, tools=["desk.list_tickets"])
        bring_in(acme, desk(BROWSE, *others(LIST)))
        newcomer = replace(LIST, operation="listAll", binding=request(LIST, path="/all"))
        bring_in(acme, desk(BROWSE, newcomer, *others(LIST)))
        assert _tools(allowed) == ["desk.browse_tickets"]
        assert _tools(blocked) == ["desk.list_tickets", "desk.browse_tickets"]

    def test_that_allow_let_go_of_a_vanished_tool_s_name_that_another_is_renamed_to(
        self, acme: Organization, bob: Member
    ) -> None:
        bring_in(acme)
        stale = restrictions.create(subject=bob, mode=ALLOW, tools=["desk.erase_ticket"], surface=Surface.SYSTEM)
        both = restrictions.create(
            subject=bob.role, mode=ALLOW, tools=["desk.delete_ticket", "desk.erase_ticket"], surface=Surface.SYSTEM
        )
        blocked = block(bob, tools=["desk.erase_ticket"])
        bring_in(acme, desk(ERASE, *others(DELETE)))
        assert _tools(stale) == []
        assert _tools(both) == ["desk.delete_ticket", "desk.erase_ticket"]
        assert _tools(blocked) == ["desk.erase_ticket"]


def _tools(rule: Restriction) -> list[str]:
    return list(Restriction.objects.get(pk=rule.pk).tools)


class TestExemptions:
    @pytest.fixture
    def exemption(self, acme: Organization, bob: Member) -> Exemption:
        bring_in(acme)
        block(bob.role, tools=["desk.delete_ticket"])
        return approve(ask(bob, "desk", "delete_ticket", reason="Spam"), cast.member(acme, "pam", "org-owner"))

    def test_hold_for_the_new_name_too_and_can_each_be_revoked(self, acme: Organization, exemption: Exemption) -> None:
        bring_in(acme, desk(ERASE, *others(DELETE)))
        assert {it.tool for it in Exemption.objects.live()} == {"delete_ticket", "erase_ticket"}
        request = AccessRequest.objects.get(tool="erase_ticket")
        assert (request.state, request.reason) == ("approved", "Spam")
        assert request.resolved_by == exemption.request.resolved_by
        event = AuditEvent.objects.get(action="exemption.follow_rename")
        assert event.detail == {
            "member": "bob@acme.example",
            "for": "desk.erase_ticket",
            "from": "desk.delete_ticket",
        }

    def test_that_were_revoked_do_not_come_back(self, acme: Organization, exemption: Exemption) -> None:
        Exemption.objects.update(revoked_at=timezone.now())
        bring_in(acme, desk(ERASE, *others(DELETE)))
        assert not Exemption.objects.live().exists()

    def test_do_not_stay_with_a_name_that_another_tool_has_now(self, acme: Organization, exemption: Exemption) -> None:
        newcomer = renamed(DELETE, "delete_ticket", operation="deleteAll", binding=request(DELETE, path="/tickets"))
        bring_in(acme, desk(ERASE, newcomer, *others(DELETE)))
        assert [it.tool for it in Exemption.objects.live()] == ["erase_ticket"]

    def test_do_not_hold_for_another_tool_that_is_renamed_to_what_they_name(
        self, acme: Organization, exemption: Exemption
    ) -> None:
        bring_in(acme, desk(*others(DELETE)))
        bring_in(acme, desk(renamed(GET, "delete_ticket"), *others(GET, DELETE)))
        assert not Exemption.objects.live().exists()
        event = AuditEvent.objects.get(action="exemption.revoke")
        assert event.detail == {"member": "bob@acme.example", "for": "desk.delete_ticket"}

    def test_open_requests_ask_for_the_tool_by_its_new_name(self, acme: Organization, bob: Member) -> None:
        bring_in(acme)
        block(bob.role, tools=["desk.delete_ticket"])
        ask(bob, "desk", "delete_ticket")
        bring_in(acme, desk(ERASE, *others(DELETE)))
        assert AccessRequest.objects.open().get().tool == "erase_ticket"


def test_frozen_tools_follow_also_where_two_swap_their_names(acme: Organization, bob: Member) -> None:
    bring_in(acme)
    box = Toolbox.objects.create(organization=acme, owner=bob, name="Mine")
    connector = Connector.objects.get()
    for name in ("list_tickets", "get_ticket", "delete_ticket"):
        FrozenTool.objects.create(toolbox=box, connector=connector, tool=name, name=f"my_{name}")
    bring_in(acme, desk(ERASE, replace(LIST, name=GET.name), replace(GET, name=LIST.name), CREATE))
    assert dict(FrozenTool.objects.values_list("name", "tool")) == {
        "my_list_tickets": "get_ticket",
        "my_get_ticket": "list_tickets",
        "my_delete_ticket": "erase_ticket",
    }


@pytest.mark.parametrize("seed", range(12))
def test_no_rule_opens_however_a_catalog_changes(acme: Organization, bob: Member, seed: int) -> None:
    """Operations come, go and swap their names; what a rule denied of one that stays is denied afterwards."""
    random = Random(seed)
    for mode in Restriction.Mode:
        tools = [f"desk.{name}" for name in random.sample(NAMES, 2)]
        restrictions.create(subject=bob, mode=mode, tools=tools, surface=Surface.SYSTEM)
        restrictions.create(subject=bob.role, mode=mode, tools=tools[:1], surface=Surface.SYSTEM)
    before: dict[UUID, Decision] = {}
    for _ in range(4):
        bring_in(acme, _some_catalog(random), force=True)
        after = {tool.pk: resolver.load(bob).decide(tool.ref) for tool in Tool.objects.select_related("connector")}
        assert not [pk for pk, decision in after.items() if decision.allowed and not before.get(pk, decision).allowed]
        before = after


NAMES = ["a", "b", "c", "d", "e"]


def _some_catalog(random: Random) -> Catalog:
    paths = random.sample(["/1", "/2", "/3", "/4"], random.randint(2, 4))
    names = random.sample(NAMES, len(paths))
    return desk(
        *(
            replace(LIST, name=name, operation=path, binding=request(LIST, path=path))
            for name, path in zip(names, paths, strict=True)
        )
    )
