"""Why a search found a tool or did not, as a model is told: of what was found, and of what it names itself."""

from typing import Any

import pytest

from accesscontrol.models import Member, Organization, Restriction, Surface
from accesscontrol.permissions import Scope
from accesscontrol.services import restrictions
from connectors.models import Connector
from tests import cast
from tests.connectors.sharing import refusal
from tests.search.mcp.rpc import Rpc

EXPLAIN = "elaichi__search__explain"


@pytest.fixture
def bob(acme: Organization) -> Member:
    """Somebody who looks after connectors: to others the operation is not offered."""
    return cast.member(acme, "bob", "org-admin")


@pytest.fixture
def notion(bob: Member) -> Connector:
    made = cast.connector(bob.organization)
    for name, said in (("create_page", "Create a page"), ("get_page", "Retrieve a page"), ("list_users", "All users")):
        cast.tool(made, name, said)
    cast.connection(bob, made)
    return made


@pytest.fixture
def rpc(bob: Member, notion: Connector) -> Rpc:
    return Rpc(cast.token(bob))


def explained(rpc: Rpc, query: str, tool: str = "") -> dict[str, Any]:
    return dict(rpc.call(EXPLAIN, query=query, tool=tool)["structuredContent"])


def test_what_was_found_comes_with_what_each_term_did(rpc: Rpc) -> None:
    told = explained(rpc, "create page")
    assert (told["floor"], told["matched"], told["of_tools"]) == (0.5, 1, 3)
    [found] = told["found"]
    assert (found["tool"], found["coverage"]) == ("notion_create_page", 1.0)
    assert [(term["term"], term["in"]) for term in found["terms"]] == [
        ("create", ["exact", "description"]),
        ("page", ["exact", "description"]),
    ]


def test_no_weak_match_is_handed_out_but_the_one_that_is_named(rpc: Rpc) -> None:
    assert "get_page" not in str(explained(rpc, "create page"))
    told = explained(rpc, "create page", "notion_get_page")
    assert told["outcome"] == "refused"
    assert 0 < told["coverage"] < told["floor"]
    assert [bool(term["in"]) for term in told["terms"]] == [False, True]


def test_a_named_tool_that_was_found_says_where_it_stands(rpc: Rpc) -> None:
    told = explained(rpc, "page", "notion_get_page")
    assert (told["outcome"], told["place"]) == ("found", 2)


def test_one_that_shares_nothing_with_the_query_is_refused_without_numbers(rpc: Rpc) -> None:
    told = explained(rpc, "create page", "notion_list_users")
    assert (told["outcome"], "coverage" in told) == ("refused", False)


def test_a_restricted_tool_and_one_that_is_not_there(rpc: Rpc, bob: Member) -> None:
    restrictions.create(subject=bob, mode=Restriction.Mode.BLOCK, tools=["notion.get_page"], surface=Surface.SYSTEM)
    assert explained(rpc, "get page", "notion_get_page")["outcome"] == "restricted"
    assert explained(rpc, "get page", "no_such_tool")["outcome"] == "unknown"


def test_it_is_for_those_who_look_after_connectors_and_may_search(bob: Member, notion: Connector) -> None:
    assert refusal(Rpc(cast.token(bob, scopes=[Scope.READ])), EXPLAIN, query="x")["scope"] == "mcp:tools"
    member = cast.member(bob.organization, "mel", "member")
    assert refusal(Rpc(cast.token(member)), EXPLAIN, query="x")["permission"] == "connector:manage"
