"""The reach report in the admin: searched, exported, and shown with when it was applied."""

import csv
import json
from io import StringIO
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accesscontrol.models import Member, Restriction, Surface
from accesscontrol.services import restrictions
from connectors.models import Connector
from search.models import ReachRow
from search.tasks import sweep_reach
from tests import cast

LIST = "admin:search_reachrow_changelist"


@pytest.fixture
def reach(alice: Member, bob: Member, charlie: Member) -> list[ReachRow]:
    """Alice and Bob have an account each; so has Charlie, in another organization."""
    for home, people in ((alice.organization, (alice, bob)), (charlie.organization, (charlie,))):
        connector: Connector = cast.connector(home)
        cast.tool(connector, "create_page", "Create a page")
        cast.tool(connector, "delete_page", "Delete a page")
        for person in people:
            cast.connection(person, connector, f"={person.user.name}'s")
    restrictions.create(subject=bob, mode=Restriction.Mode.BLOCK, tools=["notion.delete_page"], surface=Surface.SYSTEM)
    sweep_reach()
    return list(ReachRow.objects.of(alice.organization))


def signed_in(member: Member) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def listed(member: Member, **asked: str) -> set[str]:
    response = signed_in(member).get(reverse(LIST), asked)
    assert response.status_code == 200
    assert "umbrella" not in response.content.decode().lower()
    return {row.member.user.email for row in response.context["cl"].result_list}


def exported(member: Member, action: str, rows: list[ReachRow]) -> str:
    response: Any = signed_in(member).post(
        reverse(LIST), {"action": action, "_selected_action": [str(row.pk) for row in rows]}
    )
    assert "attachment" in response.headers["Content-Disposition"]
    return b"".join(response.streaming_content).decode()


def test_the_report_is_searched_by_member_connector_and_tool(reach: list[ReachRow], alice: Member) -> None:
    everybody = {"alice@acme.example", "bob@acme.example"}
    assert listed(alice) == everybody
    assert listed(alice, q="bob@") == {"bob@acme.example"}
    assert listed(alice, member__user__email__icontains="bob") == {"bob@acme.example"}
    assert listed(alice, connector="notion") == everybody
    assert listed(alice, tool="notion.delete_page") == {"alice@acme.example"}
    assert listed(alice, tool="notion.create_page") == everybody
    assert listed(alice, tool="nonsense") == set()


def test_a_row_opens_with_all_its_tools(reach: list[ReachRow], alice: Member, charlie: Member) -> None:
    row = next(row for row in reach if row.member == alice)
    page = reverse("admin:search_reachrow_change", args=[row.pk])
    assert "create_page, delete_page" in signed_in(alice).get(page).content.decode()
    response = signed_in(charlie).get(page, follow=True)
    assert "acme" not in response.content.decode().lower()


def test_who_may_not_see_restrictions_does_not_see_the_report(reach: list[ReachRow], alice: Member) -> None:
    plain = cast.member(alice.organization, "pia", staff=True)
    assert signed_in(plain).get(reverse(LIST)).status_code == 403


def test_nobody_changes_the_report(reach: list[ReachRow], alice: Member) -> None:
    client = signed_in(alice)
    assert client.get(reverse("admin:search_reachrow_add")).status_code == 403
    assert client.post(reverse("admin:search_reachrow_delete", args=[reach[0].pk]), {"post": "yes"}).status_code == 403


def test_the_report_is_exported_as_json_lines(reach: list[ReachRow], alice: Member, bob: Member) -> None:
    lines = [json.loads(line) for line in exported(alice, "export_jsonl", reach).splitlines()]
    alice.organization.refresh_from_db()
    assert alice.organization.applied_at
    by_member = {line["member"]: line for line in lines}
    row = next(row for row in reach if row.member == bob)
    assert by_member[bob.user.email] == {
        "organization": "acme",
        "applied_at": alice.organization.applied_at.isoformat(),
        "member": "bob@acme.example",
        "connector": "notion",
        "connection": str(row.connection),
        "account": "=Bob's",
        "account_of": "bob@acme.example",
        "toolbox": "",
        "tools": ["create_page"],
    }
    assert len(lines) == 2


def test_the_report_is_exported_as_csv_without_formulas(reach: list[ReachRow], alice: Member) -> None:
    rows = list(csv.DictReader(StringIO(exported(alice, "export_csv", reach))))
    assert {(row["member"], row["tool"]) for row in rows} == {
        ("alice@acme.example", "create_page"),
        ("alice@acme.example", "delete_page"),
        ("bob@acme.example", "create_page"),
    }
    assert {row["account"] for row in rows} == {"'=Alice's", "'=Bob's"}


def test_rules_and_report_say_when_they_were_applied(reach: list[ReachRow], alice: Member) -> None:
    client = signed_in(alice)
    alice.organization.refresh_from_db()
    assert alice.organization.applied_at
    said = f"applied {alice.organization.applied_at:%H:%M:%S}"
    pages = (reverse(LIST), reverse("admin:accesscontrol_restriction_changelist"))
    for page in pages:
        assert said in client.get(page).content.decode()
    restrictions.create(subject=alice, mode=Restriction.Mode.BLOCK, connectors=["xero"], surface=Surface.SYSTEM)
    for page in pages:
        assert "being applied" in client.get(page).content.decode()
