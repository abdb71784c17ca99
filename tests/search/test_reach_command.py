"""`reach`: the report on the command line."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accesscontrol.models import Member
from connectors.models import Connection
from search.tasks import sweep_reach
from tests import cast
from tests.connectors.toolboxes import freeze, share, toolbox


@pytest.fixture
def account(alice: Member, bob: Member) -> Connection:
    connector = cast.connector(bob.organization)
    cast.tool(connector, "create_page", "Create a page")
    account = cast.connection(bob, connector)
    cast.connection(alice, cast.connector(alice.organization, "xero", "Xero"))
    sweep_reach()
    return account


def run(*arguments: Any) -> str:
    out = StringIO()
    call_command("reach", *arguments, stdout=out)
    return out.getvalue()


def test_json_is_the_report_with_its_version(account: Connection, bob: Member) -> None:
    said = json.loads(run("--json"))
    home = bob.organization
    home.refresh_from_db()
    assert home.applied_at
    assert said == {
        "organization": "acme",
        "version": home.version,
        "applied_version": home.version,
        "applied_at": home.applied_at.isoformat(),
        "rows": [
            {
                "member": "bob@acme.example",
                "connector": "notion",
                "connection": str(account.pk),
                "account": "Main",
                "account_of": "bob@acme.example",
                "toolbox": "",
                "tools": ["create_page"],
            }
        ],
    }


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (["--member", "bob@acme.example"], 1),
        (["--member", "alice@acme.example"], 0),
        (["--connector", "notion"], 1),
        (["--connector", "xero"], 0),
        (["--tool", "notion.create_page"], 1),
        (["--tool", "notion.delete_page"], 0),
    ],
)
def test_the_report_is_asked_by_member_connector_and_tool(account: Connection, asked: list[str], found: int) -> None:
    assert len(json.loads(run("--json", *asked))["rows"]) == found


def test_people_read_lines_and_when_it_was_applied(account: Connection) -> None:
    lines = run().splitlines()
    assert "bob@acme.example" in lines[0]
    assert "Main of bob@acme.example" in lines[0]
    assert "create_page" in lines[0]
    assert lines[-1].startswith("The report was applied ")


def test_nobody_of_that_address_is_told(account: Connection) -> None:
    with pytest.raises(CommandError, match="No member has"):
        run("--member", "nobody@acme.example")


def test_it_says_which_toolbox_leads_to_whose_account(account: Connection, bob: Member) -> None:
    bea = cast.member(bob.organization, "bea")
    box = toolbox(bob)
    freeze(box, account.connector, "create_page", connections=[account])
    share(box, bea)
    sweep_reach()
    said = run("--member", "bea@acme.example", "--tool", "notion.create_page")
    assert "Main of bob@acme.example, through the toolbox Support" in said
