"""`search`: what a member's model would see, as a table, as JSON, or explained."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accesscontrol.models import Member, Restriction, Surface
from accesscontrol.services import memberships, restrictions
from connectors.models import Connector
from tests import cast
from tests.search.mcp.rpc import Rpc


@pytest.fixture(autouse=True)
def notion(bob: Member) -> Connector:
    connector = cast.connector(bob.organization)
    cast.tool(connector, "create_page", "Create a page", method="POST")
    cast.tool(connector, "delete_page", "Delete a page", method="DELETE")
    cast.tool(connector, "list_users", "List all users")
    cast.connection(bob, connector)
    return connector


def run(query: str, *arguments: Any, member: str = "bob@acme.example") -> str:
    out = StringIO()
    call_command("search", query, "--member", member, *arguments, stdout=out)
    return out.getvalue()


def test_json_is_what_the_endpoint_returns(bob: Member) -> None:
    assert json.loads(run("create page", "--json")) == Rpc(cast.token(bob)).found("create page")


def test_the_table_names_tools_and_counts(bob: Member) -> None:
    restrictions.create(subject=bob, mode=Restriction.Mode.BLOCK, tools=["notion.delete_page"], surface=Surface.SYSTEM)
    said = run("page")
    assert "notion_create_page" in said
    assert "restricted for the user" in said
    assert "1 of 2 tools matched; 1 restricted." in said


def test_the_explanation_says_what_each_word_did_and_what_was_refused() -> None:
    said = run("create a flurbish page", "--explain", "--profile", "published")
    assert "by the profile published" in said
    assert "Words that no tool holds: flurbish" in said
    assert "Nearest, and refused by the floor" in said


def test_each_profile_can_be_asked() -> None:
    for profile in ("published", "default"):
        found = json.loads(run("create_page", "--json", "--profile", profile))
        assert found["result"][0]["name"] == "notion_create_page"


def test_what_cannot_be_asked_is_told(bob: Member) -> None:
    with pytest.raises(CommandError, match="--limit"):
        run("page", "--limit", "0")
    with pytest.raises(CommandError, match="No member has"):
        run("page", member="nobody@acme.example")
    memberships.suspend(member=bob, surface=Surface.SYSTEM)
    with pytest.raises(CommandError, match="is suspended"):
        run("page")
