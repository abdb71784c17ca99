"""An organization's own searches as a data set, and the command over them."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accesscontrol.models import Member, Organization
from connectors.models import Tool
from search.evaluation.dataset import Kind
from search.evaluation.logged import queries_of, tools_of
from search.models import LoggedQuery
from tests import cast


@pytest.fixture
def shop(acme: Organization, bob: Member) -> Organization:
    """Two connectors, and an organization that logs."""
    notion = cast.connector(acme)
    cast.tool(notion, "create_page", "Creates a page", method="POST")
    cast.tool(notion, "delete_block", "Deletes a block", method="DELETE")
    cast.tool(notion, "old_page", "Long gone", enabled=False)
    cal = cast.connector(acme, "cal-com", "Cal.com")
    cast.tool(cal, "create_booking", "Books a slot", method="POST")
    cast.tool(cast.connector(acme, "off", "Off", enabled=False), "create_page", "Not offered")
    Organization.objects.filter(pk=acme.pk).update(logs_queries=True)
    acme.refresh_from_db()
    return acme


def log(member: Member, query: str, *, matched: int = 1, chosen: str = "") -> None:
    LoggedQuery.objects.create(
        organization=member.organization,
        member=member,
        query=query,
        matched=matched,
        returned=[chosen] if chosen else [],
        chosen=chosen,
    )


def run(*arguments: str) -> tuple[str, str]:
    out, err = StringIO(), StringIO()
    call_command("evaluate_search", *arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def test_the_pool_is_what_the_organization_has_enabled(shop: Organization) -> None:
    found = {
        tool.document.key: (tool.document.name, tool.app, tool.document.connector_label) for tool in tools_of(shop)
    }
    assert found == {
        "cal-com.create_booking": ("cal_com_create_booking", "cal-com", "Cal.com"),
        "notion.create_page": ("notion_create_page", "notion", "Notion"),
        "notion.delete_block": ("notion_delete_block", "notion", "Notion"),
    }


def test_a_choice_labels_its_query_and_no_match_leaves_it_unlabelled(shop: Organization, bob: Member) -> None:
    log(bob, "start something", chosen="notion_create_page")
    log(bob, "start something", chosen="notion_create_page")
    log(bob, "start something", chosen="notion_delete_block")
    log(bob, "start something", chosen="cal_com_create_booking")
    log(bob, "book a slot in Cal.com", chosen="cal_com_create_booking")
    log(bob, "feed the cat", matched=0)
    log(bob, "looked at and left", matched=4)
    found = [(q.set, q.kind, q.app, q.query, sorted(q.gold)) for q in queries_of(shop, tools_of(shop))]
    assert sorted(found) == [
        ("chosen", Kind.NAMED, "cal-com", "book a slot in Cal.com", ["cal-com.create_booking"]),
        ("chosen", Kind.UNNAMED, "cal-com", "start something", ["cal-com.create_booking"]),
        ("chosen", Kind.UNNAMED, "notion", "start something", ["notion.create_page", "notion.delete_block"]),
        ("no_match", Kind.UNLABELLED, "", "feed the cat", []),
    ]


def test_the_command_prints_figures_and_writes_a_report(shop: Organization, bob: Member, tmp_path: Path) -> None:
    log(bob, "create page", chosen="notion_create_page")
    log(bob, "create booking in Cal.com", chosen="cal_com_create_booking")
    log(bob, "feed the cat", matched=0)
    log(bob, "delete block", matched=0)
    report, table = tmp_path / "out.html", tmp_path / "out.csv"
    arguments = ["--organization", "acme", "--profiles", "default,published", "--sizes", "1,5"]
    out, _ = run(*arguments, "--html", str(report), "--csv", str(table))
    assert [line.split()[:1] for line in out.splitlines()] == [["set"], *[["chosen"]] * 4, *[["no_match"]] * 4]
    assert "4 queries over 3 tools." in report.read_text()
    assert len(table.read_text().splitlines()) == 9
    assert "feed the cat" not in out + report.read_text() + table.read_text()


def test_what_nobody_labelled_counts_as_empty_or_not_and_nowhere_else(shop: Organization, bob: Member) -> None:
    log(bob, "create page", chosen="notion_create_page")
    log(bob, "feed the cat", matched=0)
    log(bob, "delete block", matched=0)
    out, _ = run("--organization", "acme", "--sizes", "5", "--json")
    found: dict[str, Any] = json.loads(out)
    chosen, unmatched = found["measures"]
    assert (chosen["set"], chosen["n"], chosen["r1"], chosen["empty"]) == ("chosen", 1, 1.0, 0.0)
    assert (unmatched["set"], unmatched["n"], unmatched["empty"]) == ("no_match", 2, 0.5)
    assert [unmatched[column] for column in ("r1", "r5", "false", "alone")] == [None] * 4
    assert found["curves"] == []


def test_a_choice_whose_tool_is_gone_is_left_out_and_told(shop: Organization, bob: Member) -> None:
    log(bob, "create page", chosen="notion_create_page")
    log(bob, "delete block", chosen="notion_delete_block")
    Tool.objects.filter(name="delete_block").delete()
    out, err = run("--organization", "acme", "--sizes", "5")
    assert out.splitlines()[1].split()[:4] == ["chosen", "5", "1", "default"]
    assert err == "1 queries left out: the tools do not hold their app.\n"


def test_one_connector_alone_can_be_measured(acme: Organization, bob: Member) -> None:
    cast.tool(cast.connector(acme), "create_page", "Creates a page")
    Organization.objects.filter(pk=acme.pk).update(logs_queries=True)
    log(bob, "create a page in notion", chosen="notion_create_page")
    out, _ = run("--organization", "acme", "--profiles", "default", "--peers", "fts5", "--sizes", "1,20")
    assert len(out.splitlines()) == 5


def test_another_organization_s_log_is_not_measured(shop: Organization, bob: Member, charlie: Member) -> None:
    log(charlie, "create page", chosen="notion_create_page")
    with pytest.raises(CommandError, match=r"^acme has no logged queries to measure yet"):
        run("--organization", "acme")


def test_one_line_says_that_logging_is_off(shop: Organization, bob: Member) -> None:
    log(bob, "create page", chosen="notion_create_page")
    Organization.objects.filter(pk=shop.pk).update(logs_queries=False)
    with pytest.raises(CommandError) as raised:
        run("--organization", "acme")
    assert str(raised.value) == "acme logs no queries: an owner turns that on in the admin."


@pytest.mark.parametrize(
    "arguments",
    [[], ["--tools", "t.jsonl"], ["--organization", "acme", "--tools", "t.jsonl", "--queries", "q.jsonl"]],
)
def test_what_to_measure_is_said_once(arguments: list[str]) -> None:
    with pytest.raises(CommandError, match="Say what to measure: --tools and --queries, or --organization alone"):
        run(*arguments)


def test_an_organization_that_is_not_there_is_said(db: None) -> None:
    with pytest.raises(CommandError, match="There is no organization with the slug nowhere"):
        run("--organization", "nowhere")


def test_an_organization_without_tools_is_said(acme: Organization) -> None:
    with pytest.raises(CommandError, match="acme has no enabled tools"):
        run("--organization", "acme")
