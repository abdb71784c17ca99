"""The query log: off unless the organization says so, one row a search, and what was then called."""

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accesscontrol.caller import caller_of
from accesscontrol.models import AuditEvent, Member, Organization, Restriction, Surface
from accesscontrol.services import restrictions
from connectors.models import Connector
from elaichi.celery import app
from search import query_log
from search.models import LoggedQuery
from search.tasks import forget_queries
from tests import cast
from tests.search.mcp.rpc import Rpc

LIST = "admin:search_loggedquery_changelist"
CREATE, GET = "deskline_create_ticket", "deskline_get_ticket"


@pytest.fixture
def rpc(deskline: Connector, bob: Member) -> Rpc:
    return Rpc(cast.token(bob))


@pytest.fixture
def logging(acme: Organization) -> Organization:
    Organization.objects.filter(pk=acme.pk).update(logs_queries=True)
    acme.refresh_from_db()
    return acme


def only_row() -> LoggedQuery:
    return LoggedQuery.objects.get()


def statements(rpc: Rpc, name: str, **arguments: Any) -> list[str]:
    """What an answered request asks of the database, once its caches are warm."""
    rpc.call(name, **arguments)
    with CaptureQueriesContext(connection) as captured:
        rpc.call(name, **arguments)
    return [query["sql"] for query in captured]


class TestOff:
    def test_nothing_is_kept_unless_the_organization_says_so(self, rpc: Rpc) -> None:
        found = rpc.found("get ticket")
        assert found["matched"]
        rpc.call("execute_tool", name=GET, arguments={"ticket_id": 101})
        assert not LoggedQuery.objects.exists()

    @pytest.mark.parametrize(
        ("name", "arguments"),
        [("search_tools", {"query": "get ticket"}), (GET, {"ticket_id": 101})],
    )
    def test_logging_costs_a_search_and_a_call_one_statement_and_not_logging_none(
        self, rpc: Rpc, acme: Organization, name: str, arguments: dict[str, Any]
    ) -> None:
        off = statements(rpc, name, **arguments)
        assert not [sql for sql in off if "loggedquery" in sql]
        Organization.objects.filter(pk=acme.pk).update(logs_queries=True)
        assert len(statements(rpc, name, **arguments)) == len(off) + 1


class TestSearch:
    def test_a_search_is_one_row(self, rpc: Rpc, bob: Member, logging: Organization) -> None:
        found = rpc.found("get ticket", limit=3)
        row = only_row()
        assert (row.organization, row.member, row.query, row.chosen) == (logging, bob, "get ticket", "")
        assert row.matched == found["matched"]
        assert row.returned == [result["name"] for result in found["result"]]

    def test_one_without_a_match_is_kept_too(self, rpc: Rpc, logging: Organization) -> None:
        rpc.found("recommend binoculars")
        row = only_row()
        assert (row.query, row.matched, row.returned) == ("recommend binoculars", 0, [])

    def test_a_long_query_is_cut_and_one_that_no_column_holds_is_mended(self, rpc: Rpc, logging: Organization) -> None:
        rpc.found("a\0b" + "x" * 600)
        assert only_row().query == "a b" + "x" * 497

    def test_a_restricted_row_is_not_among_the_returned(self, rpc: Rpc, bob: Member, logging: Organization) -> None:
        block(bob)
        found = rpc.found(CREATE)
        assert found["restricted_count"]
        assert CREATE not in only_row().returned

    def test_the_command_writes_nothing(self, deskline: Connector, bob: Member, logging: Organization) -> None:
        call_command("search", "get ticket", "--member", bob.user.email, stdout=StringIO())
        assert not LoggedQuery.objects.exists()

    def test_the_words_stand_in_no_audit_row(self, rpc: Rpc, logging: Organization) -> None:
        rpc.found("get ticket zanzibar")
        rpc.call(GET, ticket_id=101)
        assert "zanzibar" not in str(list(AuditEvent.objects.values()))


class TestChoice:
    @pytest.fixture(autouse=True)
    def searched(self, rpc: Rpc, logging: Organization) -> None:
        rpc.found("ticket")
        assert {GET, CREATE} <= set(only_row().returned)

    @pytest.mark.parametrize("direct", [True, False])
    def test_the_tool_that_was_called_next_is_chosen_through_either_door(self, rpc: Rpc, direct: bool) -> None:
        if direct:
            rpc.call(GET, ticket_id=101)
        else:
            rpc.call("execute_tool", name=GET, arguments={"ticket_id": 101})
        assert only_row().chosen == GET

    def test_one_called_after_it_is_not(self, rpc: Rpc) -> None:
        rpc.call(GET, ticket_id=101)
        rpc.call(CREATE, project="OPS", subject="The coffee machine leaks")
        assert only_row().chosen == GET

    def test_the_newest_search_that_returned_it_is_marked(self, rpc: Rpc) -> None:
        rpc.found("ticket")
        rpc.found("recommend binoculars")
        rpc.call(GET, ticket_id=101)
        assert list(LoggedQuery.objects.values_list("query", "chosen")) == [
            ("recommend binoculars", ""),
            ("ticket", GET),
            ("ticket", ""),
        ]

    def test_a_tool_that_was_not_returned_is_not_chosen(self, rpc: Rpc) -> None:
        LoggedQuery.objects.update(returned=[CREATE])
        rpc.call(GET, ticket_id=101)
        assert only_row().chosen == ""

    def test_a_name_that_is_nobody_s_and_an_operation_are_not_chosen(self, rpc: Rpc) -> None:
        LoggedQuery.objects.update(returned=["deskline_get", "elaichi__connection__list"])
        rpc.send("tools/call", {"name": "deskline_get", "arguments": {}})
        rpc.call("elaichi__connection__list")
        assert only_row().chosen == ""

    def test_ten_minutes_later_it_is_not_chosen(self, bob: Member) -> None:
        caller = caller_of(Member.objects.get(pk=bob.pk), surface=Surface.MCP)
        query_log.note_choice(caller, GET, now=timezone.now() + timedelta(minutes=11))
        assert only_row().chosen == ""
        query_log.note_choice(caller, GET, now=timezone.now() + timedelta(minutes=9))
        assert only_row().chosen == GET

    def test_somebody_else_s_call_chooses_nothing(self, deskline: Connector, alice: Member) -> None:
        cast.connection(alice, deskline, "Alice's", credential={"token": "demo-deskline-acme"})
        Rpc(cast.token(alice)).call(GET, ticket_id=101)
        assert only_row().chosen == ""

    def test_a_refused_call_of_a_tool_that_was_returned_callable_counts(self, rpc: Rpc, bob: Member) -> None:
        block(bob)
        assert rpc.call(CREATE, project="OPS", subject="x")["isError"]
        assert only_row().chosen == CREATE

    def test_one_of_a_tool_that_was_returned_as_restricted_does_not(self, rpc: Rpc, bob: Member) -> None:
        LoggedQuery.objects.all().delete()
        block(bob)
        rpc.found("ticket")
        assert rpc.call(CREATE, project="OPS", subject="x")["isError"]
        assert only_row().chosen == ""


def test_the_log_holds_nothing_older_than_ninety_days(acme: Organization, bob: Member) -> None:
    for days in (89, 91, 400):
        at = timezone.now() - timedelta(days=days)
        LoggedQuery.objects.create(organization=acme, member=bob, at=at, query=str(days), matched=0, returned=[])
    forget_queries()
    assert only_row().query == "89"


def test_the_clock_forgets_each_hour() -> None:
    entries = [entry for entry in app.conf.beat_schedule.values() if entry["task"] == forget_queries.name]
    assert [entry["schedule"] for entry in entries] == [3600]
    assert forget_queries.name in app.tasks


class TestAdmin:
    @pytest.fixture(autouse=True)
    def rows(self, bob: Member, charlie: Member) -> None:
        for member in (bob, charlie):
            slug = member.organization.slug
            LoggedQuery.objects.create(
                organization=member.organization, member=member, query=f"words at {slug}", matched=0, returned=[]
            )

    @pytest.mark.parametrize("role", ["org-owner", "org-admin", "auditor"])
    def test_who_may_see_the_audit_trail_reads_their_organization_s_log(self, acme: Organization, role: str) -> None:
        page = signed_in(cast.member(acme, "dora", role, staff=True)).get(reverse(LIST))
        assert page.status_code == 200
        assert "words at acme" in page.content.decode()
        assert "umbrella" not in page.content.decode()

    @pytest.mark.parametrize("role", ["member", "people-admin"])
    def test_nobody_else_does(self, acme: Organization, role: str) -> None:
        assert signed_in(cast.member(acme, "dora", role, staff=True)).get(reverse(LIST)).status_code == 403

    def test_a_row_is_read_and_neither_changed_nor_deleted_nor_exported(self, alice: Member) -> None:
        client, row = signed_in(alice), LoggedQuery.objects.get(query="words at acme")
        page = client.get(reverse("admin:search_loggedquery_change", args=[row.pk]))
        assert "words at acme" in page.content.decode()
        assert client.post(reverse("admin:search_loggedquery_change", args=[row.pk])).status_code == 403
        assert client.post(reverse("admin:search_loggedquery_delete", args=[row.pk])).status_code == 403
        assert client.get(reverse("admin:search_loggedquery_add")).status_code == 403
        actions = client.get(reverse(LIST)).context["action_form"]
        assert actions is None


class TestSwitch:
    def test_an_owner_turns_it_on_and_that_is_in_the_audit_trail(self, alice: Member, acme: Organization) -> None:
        acme.refresh_from_db()
        version = acme.version
        edit = reverse("admin:accesscontrol_organization_change", args=[acme.pk])
        page = signed_in(alice).get(edit).content.decode()
        assert "kept for 90 days" in page
        signed_in(alice).post(edit, {"name": acme.name, "slug": acme.slug, "logs_queries": "on"})
        acme.refresh_from_db()
        assert acme.logs_queries
        assert acme.version == version
        event = AuditEvent.objects.get(action="organization.change")
        assert (event.actor, event.detail) == (alice, {"changed": ["logs_queries"], "logs_queries": "on"})

    def test_saving_without_a_change_records_nothing(self, alice: Member, acme: Organization) -> None:
        edit = reverse("admin:accesscontrol_organization_change", args=[acme.pk])
        assert signed_in(alice).post(edit, {"name": acme.name, "slug": acme.slug}).status_code == 302
        assert not AuditEvent.objects.filter(action="organization.change").exists()

    def test_an_organization_that_is_founded_does_not_log(self, acme: Organization) -> None:
        assert not acme.logs_queries


def signed_in(member: Member) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def block(member: Member) -> None:
    restrictions.create(
        subject=member, mode=Restriction.Mode.BLOCK, tools=["deskline.create_ticket"], surface=Surface.SYSTEM
    )
