"""Pulling from upstream: what has changed there is shown, and only what is picked is taken."""

import pytest

from accesscontrol.caller import caller_of
from accesscontrol.exceptions import Conflict
from accesscontrol.models import AuditEvent, Member, Organization, Restriction, Surface
from accesscontrol.services import restrictions
from connectors.catalog.forks import Difference, Item
from connectors.models import Connector, FrozenTool, Tool, Toolbox
from connectors.services import forks, tools
from search.pool import pool_of
from tests import cast


@pytest.fixture
def notion(acme: Organization) -> Connector:
    notion = cast.connector(acme)
    for name in ("get_page", "list_pages", "delete_page"):
        cast.tool(notion, name, f"Does {name}")
    return notion


@pytest.fixture
def wiki(notion: Connector) -> Connector:
    return forks.fork(connector=notion, slug="wiki", label="Wiki", surface=Surface.SYSTEM)


def change(connector: Connector, name: str, **fields: object) -> None:
    connector.tools.filter(name=name).update(**fields)


def edit(connector: Connector, name: str, *, to: str | None = None, description: str | None = None) -> None:
    tool = connector.tools.get(name=name)
    described = tool.description if description is None else description
    tools.change(tool=tool, name=to or name, description=described, enabled=True, surface=Surface.SYSTEM)


def said(difference: Difference) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    kinds = ("new", "safe", "conflicts", "removed")
    return {
        kind: found for kind in kinds if (found := [(item.tool, item.fields) for item in getattr(difference, kind)])
    }


def pull(fork: Connector, *items: Item, actor: Member | None = None) -> None:
    forks.pull(fork=fork, picks=[item.key for item in items], surface=Surface.ADMIN, actor=actor)


def described(connector: Connector) -> dict[str, str]:
    return {tool.name: tool.description for tool in connector.tools.all()}


def test_a_fresh_fork_lacks_nothing(wiki: Connector) -> None:
    assert said(forks.difference_of(wiki)) == {}


def test_each_kind_of_difference_is_told_from_the_others(notion: Connector, wiki: Connector) -> None:
    cast.tool(notion, "share_page", "Shares")
    change(notion, "get_page", description="Gets better", input_schema={"type": "object", "properties": {"id": {}}})
    edit(wiki, "list_pages", description="Ours")
    change(notion, "list_pages", description="Theirs", annotations={"readOnlyHint": True})
    notion.tools.get(name="delete_page").delete()
    assert said(forks.difference_of(wiki)) == {
        "new": [("share_page", ())],
        "safe": [("get_page", ("description", "input_schema")), ("list_pages", ("annotations",))],
        "conflicts": [("list_pages", ("description",))],
        "removed": [("delete_page", ())],
    }


def test_what_was_edited_here_alone_or_alike_in_both_is_nothing_to_pull(notion: Connector, wiki: Connector) -> None:
    edit(wiki, "get_page", description="Ours")
    edit(wiki, "list_pages", to="pages", description="Same")
    change(notion, "list_pages", description="Same")
    assert said(forks.difference_of(wiki)) == {}


def test_only_what_is_picked_is_taken(notion: Connector, wiki: Connector, alice: Member) -> None:
    for name in ("new_one", "new_two"):
        cast.tool(notion, name, name)
    change(notion, "get_page", description="Better")
    change(notion, "list_pages", description="Better")
    difference = forks.difference_of(wiki)
    before = wiki.organization.version
    pull(wiki, difference.new[0], difference.safe[1], actor=alice)
    assert described(wiki) == {
        "delete_page": "Does delete_page",
        "get_page": "Does get_page",
        "list_pages": "Better",
        "new_one": "new_one",
    }
    assert said(forks.difference_of(wiki)) == {"new": [("new_two", ())], "safe": [("get_page", ("description",))]}
    wiki.refresh_from_db()
    wiki.organization.refresh_from_db()
    assert wiki.catalog_version == 2
    assert wiki.organization.version > before
    event = AuditEvent.objects.get(action="connector.pull")
    assert (event.target, event.actor) == ("connector:wiki", alice)
    assert event.detail == {"from": "notion", "new": ["new_one"], "safe": ["list_pages"]}


def test_a_conflict_is_left_until_it_is_picked(notion: Connector, wiki: Connector) -> None:
    cast.tool(notion, "new_one")
    edit(wiki, "get_page", description="Ours")
    change(notion, "get_page", description="Theirs")
    pull(wiki, *forks.difference_of(wiki).new)
    assert described(wiki)["get_page"] == "Ours"
    pull(wiki, *forks.difference_of(wiki).conflicts)
    assert described(wiki)["get_page"] == "Theirs"
    assert said(forks.difference_of(wiki)) == {}


def test_what_both_came_to_agree_on_is_safe_to_change_after_the_next_pull(notion: Connector, wiki: Connector) -> None:
    edit(wiki, "get_page", description="Same")
    change(notion, "get_page", description="Same")
    change(notion, "list_pages", description="Better")
    pull(wiki, *forks.difference_of(wiki).safe)
    change(notion, "get_page", description="Better still")
    assert said(forks.difference_of(wiki)) == {"safe": [("get_page", ("description",))]}


def test_a_tool_removed_upstream_stays_until_its_removal_is_picked(notion: Connector, wiki: Connector) -> None:
    notion.tools.get(name="delete_page").delete()
    cast.tool(notion, "new_one")
    pull(wiki, *forks.difference_of(wiki).new)
    assert "delete_page" in described(wiki)
    pull(wiki, *forks.difference_of(wiki).removed)
    assert "delete_page" not in described(wiki)


def test_a_tool_that_came_back_upstream_is_the_same_tool(notion: Connector, wiki: Connector) -> None:
    edit(wiki, "delete_page", to="tidy_up")
    notion.tools.get(name="delete_page").delete()
    cast.tool(notion, "delete_page", "Deletes better")
    assert said(forks.difference_of(wiki)) == {"safe": [("tidy_up", ("description",))]}


def test_what_changed_since_it_was_looked_at_is_not_pulled(notion: Connector, wiki: Connector) -> None:
    cast.tool(notion, "new_one")
    change(notion, "get_page", description="Better")
    seen = forks.difference_of(wiki)
    change(notion, "get_page", description="Something else")
    with pytest.raises(Conflict, match="changed meanwhile"):
        pull(wiki, *seen.new, *seen.safe)
    assert described(wiki).keys() == {"delete_page", "get_page", "list_pages"}
    with pytest.raises(Conflict, match="Nothing was picked"):
        pull(wiki)


def test_a_renaming_upstream_is_taken_apart_from_the_tool_s_other_changes(wiki: Connector) -> None:
    second = forks.fork(connector=wiki, slug="wiki2", label="Wiki 2", surface=Surface.SYSTEM)
    edit(wiki, "get_page", to="read_page", description="Reads")
    difference = forks.difference_of(second)
    assert said(difference) == {"safe": [("get_page", ("description",)), ("get_page", ("name",))]}
    pull(second, difference.safe[0])
    assert described(second)["get_page"] == "Reads"
    pull(second, *forks.difference_of(second).safe)
    assert described(second)["read_page"] == "Reads"
    assert said(forks.difference_of(second)) == {}


def test_frozen_tools_follow_a_renaming_that_is_pulled(wiki: Connector, alice: Member) -> None:
    second = forks.fork(connector=wiki, slug="wiki2", label="Wiki 2", surface=Surface.SYSTEM)
    box = Toolbox.objects.create(organization=alice.organization, owner=alice, name="Box")
    frozen = FrozenTool.objects.create(toolbox=box, connector=second, tool="get_page")
    edit(wiki, "get_page", to="read_page")
    pull(second, *forks.difference_of(second).safe)
    frozen.refresh_from_db()
    assert frozen.tool == "read_page"


def test_a_name_that_is_taken_here_refuses_the_pull_as_a_whole(notion: Connector, wiki: Connector) -> None:
    second = forks.fork(connector=wiki, slug="wiki2", label="Wiki 2", surface=Surface.SYSTEM)
    edit(second, "list_pages", to="read_page")
    edit(wiki, "get_page", to="read_page", description="Reads")
    with pytest.raises(Conflict, match="get_page cannot take the name read_page"):
        pull(second, *forks.difference_of(second).safe)
    assert described(second)["get_page"] == "Does get_page"


def test_a_new_tool_whose_name_is_taken_here_gets_a_number(notion: Connector, wiki: Connector) -> None:
    edit(wiki, "get_page", to="share_page")
    cast.tool(notion, "share_page", "Shares")
    pull(wiki, *forks.difference_of(wiki).new)
    assert described(wiki)["share_page_2"] == "Shares"
    assert said(forks.difference_of(wiki)) == {}


def test_a_tool_switched_off_here_stays_off(notion: Connector, wiki: Connector) -> None:
    change(wiki, "get_page", enabled=False)
    change(notion, "get_page", description="Better")
    pull(wiki, *forks.difference_of(wiki).safe)
    assert not wiki.tools.get(name="get_page").enabled


def test_what_is_pulled_is_as_blocked_as_it_is_upstream(notion: Connector, wiki: Connector, bob: Member) -> None:
    cast.connection(bob, wiki)
    for rule in ("notion.share_page", "wiki.get_page"):
        restrictions.create(subject=bob, mode=Restriction.Mode.BLOCK, tools=[rule], surface=Surface.SYSTEM)
    cast.tool(notion, "share_page", "Shares")
    Tool.objects.filter(connector=notion, name="get_page").update(name="page", former_names=["get_page"])
    difference = forks.difference_of(wiki)
    pull(wiki, *difference.new, *difference.safe)
    bob.organization.refresh_from_db()
    found = pool_of(caller_of(bob, surface=Surface.SYSTEM))
    assert set(found.tools) == {"wiki_delete_page", "wiki_list_pages"}
    assert set(found.restricted) == {"wiki_share_page", "wiki_page"}
