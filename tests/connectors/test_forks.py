"""A fork: a connector of its own with the same tools, for which the original's blocks hold, whatever it renames."""

import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from accesscontrol.caller import caller_of
from accesscontrol.exceptions import Conflict, PermissionRequired
from accesscontrol.models import AuditEvent, Member, Organization, Restriction, Surface
from accesscontrol.services import access_requests, restrictions
from connectors.catalog.document import CatalogError
from connectors.catalog.importer import import_catalog
from connectors.catalog.openapi import read_openapi
from connectors.models import Connector, FrozenTool, OAuthApp, Tool, ToolAlias, Toolbox
from connectors.services import forks, tools
from elaichi.sandbox.document import Document
from search.pool import pool_of
from tests import cast


@pytest.fixture
def notion(acme: Organization) -> Connector:
    notion = cast.connector(
        acme,
        base_url="https://api.notion.example",
        hosts=["files.notion.example"],
        aliases=["Notion.so"],
        calls_per_minute=90,
    )
    cast.tool(notion, "get_page", "Get a page")
    cast.tool(notion, "delete_page", "Delete a page", method="DELETE")
    return notion


def forked(connector: Connector, slug: str = "wiki") -> Connector:
    return forks.fork(connector=connector, slug=slug, label=slug.title(), surface=Surface.SYSTEM)


def rename(tool: Tool, name: str, actor: Member | None = None) -> Tool:
    return tools.change(
        tool=tool, name=name, description=tool.description, enabled=tool.enabled, surface=Surface.SYSTEM, actor=actor
    )


def block(member: Member, *, connectors: tuple[str, ...] = (), tools: tuple[str, ...] = ()) -> Restriction:
    return restrictions.create(
        subject=member,
        mode=Restriction.Mode.BLOCK,
        connectors=connectors,
        tools=tools,
        surface=Surface.SYSTEM,
    )


def names_of(member: Member) -> set[str]:
    """What the member's model can call at this moment."""
    member.organization.refresh_from_db()
    return set(pool_of(caller_of(member, surface=Surface.SYSTEM)).tools)


def test_a_fork_has_the_tools_and_settings_and_nobody_s_account(notion: Connector, alice: Member) -> None:
    cast.connection(alice, notion)
    OAuthApp.objects.create(connector=notion, client_id="acme", client_secret={"secret": "canary"})
    made = forks.fork(
        connector=notion,
        slug="wiki",
        label="Wiki",
        base_url="https://wiki.acme.example/",
        surface=Surface.ADMIN,
        actor=alice,
    )
    for connector in (made, notion):
        connector.refresh_from_db()
    assert (made.base_url, made.hosts, made.aliases) == ("https://wiki.acme.example", notion.hosts, notion.aliases)
    assert (made.auth, made.calls_per_minute, made.kind) == (notion.auth, 90, notion.kind)
    assert (made.lineage, made.forked_from) == (["notion"], notion)
    assert [tool.name for tool in made.tools.all()] == ["delete_page", "get_page"]
    assert [tool.binding for tool in made.tools.all()] == [tool.binding for tool in notion.tools.all()]
    assert not made.connections.exists()
    assert not OAuthApp.objects.filter(connector=made).exists()
    event = AuditEvent.objects.get(action="connector.fork")
    assert (event.target, event.actor, event.detail) == ("connector:wiki", alice, {"from": "notion", "tools": 2})


def test_a_fork_of_a_fork_knows_both_it_came_from(notion: Connector) -> None:
    assert forked(forked(notion), "wiki2").lineage == ["wiki", "notion"]


def test_tools_that_the_fork_s_slug_would_advertise_alike_are_told_apart(notion: Connector) -> None:
    cast.tool(notion, "page", "A page")
    cast.tool(notion, "page_page", "Pages of a page")
    made = forked(notion, "page")
    assert sorted(tool.name for tool in made.tools.all()) == ["delete_page", "get_page", "page", "page_page"]
    cast.tool(notion, "wiki_page", "A page of the wiki")
    assert {tool.name for tool in forked(notion, "wiki").tools.all()} >= {"page", "wiki_page_2"}


@pytest.mark.parametrize("slug", ["notion", "Not A Slug"])
def test_a_slug_that_is_taken_or_none_is_refused(notion: Connector, slug: str) -> None:
    with pytest.raises(ValidationError):
        forked(notion, slug)
    assert Connector.objects.count() == 1


def test_forking_pulling_and_renaming_need_the_permission(notion: Connector, alice: Member, bob: Member) -> None:
    made = forked(notion)
    with pytest.raises(PermissionRequired, match="connector:manage"):
        forks.fork(connector=notion, slug="mine", label="Mine", surface=Surface.ADMIN, actor=bob)
    with pytest.raises(PermissionRequired, match="connector:manage"):
        forks.pull(fork=made, picks=["new-x"], surface=Surface.ADMIN, actor=bob)
    with pytest.raises(PermissionRequired, match="connector:manage"):
        rename(made.tools.all()[0], "mine", bob)
    rename(made.tools.all()[0], "mine", alice)


@pytest.mark.parametrize("named", [{"connectors": ("notion",)}, {"tools": ("notion.delete_page",)}])
def test_a_block_on_the_original_holds_for_its_forks(notion: Connector, bob: Member, named: dict[str, object]) -> None:
    made = forked(forked(notion), "wiki2")
    cast.connection(bob, made)
    assert "wiki2_delete_page" in names_of(bob)
    block(bob, **named)  # type: ignore[arg-type]
    assert "wiki2_delete_page" not in names_of(bob)


def test_a_tool_renamed_in_a_fork_stays_blocked_by_a_block_of_the_original_s(notion: Connector, bob: Member) -> None:
    second = forked(forked(notion), "wiki2")
    cast.connection(bob, second)
    block(bob, tools=("notion.delete_page",))
    rename(second.tools.get(name="delete_page"), "tidy_up")
    assert names_of(bob) == {"wiki2_get_page"}
    rename(second.tools.get(name="tidy_up"), "harmless")
    assert names_of(bob) == {"wiki2_get_page"}


def test_a_tool_renamed_in_a_fork_stays_blocked_by_a_block_of_its_own(notion: Connector, bob: Member) -> None:
    made = forked(notion)
    cast.connection(bob, made)
    block(bob, tools=("wiki.delete_page",))
    rename(made.tools.get(name="delete_page"), "tidy_up")
    assert names_of(bob) == {"wiki_get_page"}


def test_a_fork_made_of_a_renamed_tool_is_blocked_by_every_name_it_had(notion: Connector, bob: Member) -> None:
    made = forked(notion)
    rename(made.tools.get(name="delete_page"), "tidy_up")
    second = forked(made, "wiki2")
    cast.connection(bob, second)
    for rule in ("notion.delete_page", "wiki.tidy_up", "wiki.delete_page"):
        written = block(bob, tools=(rule,))
        assert names_of(bob) == {"wiki2_get_page"}, rule
        restrictions.delete(restriction=written, surface=Surface.SYSTEM)
    assert "wiki2_tidy_up" in names_of(bob)


def test_a_block_of_a_new_name_upstream_holds_for_what_was_forked_before_the_renaming(
    notion: Connector, bob: Member
) -> None:
    made = forked(notion)
    second = forked(made, "wiki2")
    cast.connection(bob, second)
    names_of(bob)  # so that what is cached of the fork's tools is older
    rename(made.tools.get(name="delete_page"), "tidy_up")
    block(bob, tools=("wiki.tidy_up",))
    assert names_of(bob) == {"wiki2_get_page"}


def test_an_allow_follows_a_renamed_tool_and_never_opens_what_gets_its_old_name(notion: Connector, bob: Member) -> None:
    made = forked(notion)
    cast.connection(bob, made)
    restrictions.create(subject=bob, mode=Restriction.Mode.ALLOW, tools=["wiki.get_page"], surface=Surface.SYSTEM)
    rename(made.tools.get(name="get_page"), "page")
    assert names_of(bob) == {"wiki_page"}
    ToolAlias.objects.update(expires_at=timezone.now())
    rename(made.tools.get(name="delete_page"), "get_page")
    assert names_of(bob) == {"wiki_page"}


def test_calls_by_the_old_name_are_understood_for_a_while(notion: Connector) -> None:
    made = forked(notion)
    rename(made.tools.get(name="get_page"), "page")
    alias = ToolAlias.objects.get()
    assert (alias.name, alias.tool.name, alias.expires_at > timezone.now()) == ("get_page", "page", True)
    rename(made.tools.get(name="page"), "get_page")
    assert [alias.name for alias in ToolAlias.objects.all()] == ["page"]


def test_a_renamed_tool_s_name_comes_back_into_a_fork_that_no_rule_opens(notion: Connector, bob: Member) -> None:
    made = forked(notion)
    cast.connection(bob, made)
    restrictions.create(subject=bob, mode=Restriction.Mode.ALLOW, tools=["wiki.get_page"], surface=Surface.SYSTEM)
    rename(made.tools.get(name="get_page"), "page")
    rename(made.tools.get(name="page"), "read_page")
    cast.tool(notion, "page", "Another")
    forks.pull(fork=made, picks=[forks.difference_of(made).new[0].key], surface=Surface.SYSTEM)
    assert made.tools.filter(name="page").exists()
    assert names_of(bob) == {"wiki_read_page"}


def imported(home: Organization, slug: str, document: dict[str, Any]) -> Connector:
    catalog = read_openapi(json.dumps(document).encode(), source="deskline.json")
    import_catalog(organization=home, catalog=catalog, slug=slug, label=slug.title(), surface=Surface.SYSTEM)
    return Connector.objects.get(organization=home, slug=slug)


def test_a_fork_learns_what_its_original_s_catalog_renames(bob: Member) -> None:
    document = Document("deskline", "http://127.0.0.1:9").content
    made = forked(imported(bob.organization, "deskline", document))
    cast.connection(bob, made)
    before = names_of(bob)
    document["paths"]["/tickets"]["get"]["operationId"] = "browseTickets"
    imported(bob.organization, "deskline", document)
    block(bob, tools=("deskline.browse_tickets",))
    assert before - names_of(bob) == {"wiki_list_tickets"}


def test_nothing_is_imported_into_a_fork(notion: Connector, acme: Organization) -> None:
    forked(notion)
    with pytest.raises(CatalogError, match="a fork of Notion"):
        imported(acme, "wiki", Document("deskline", "http://127.0.0.1:9").content)


def test_asking_for_a_renamed_tool_is_asking_for_what_is_blocked(notion: Connector, bob: Member) -> None:
    made = forked(notion)
    cast.connection(bob, made)
    rename(made.tools.get(name="delete_page"), "tidy_up")
    restrictions.create(
        subject=bob.role, mode=Restriction.Mode.BLOCK, tools=["notion.delete_page"], surface=Surface.SYSTEM
    )
    asked = access_requests.ask(member=bob, connector="wiki", tool="tidy_up", surface=Surface.SYSTEM)
    access_requests.approve(request=asked, surface=Surface.SYSTEM)
    assert names_of(bob) == {"wiki_get_page", "wiki_tidy_up"}


@pytest.mark.parametrize("name", ["Get_Page", "get-page", "_page", "page_", "a" * 121, "", "get_page", "wiki_get_page"])
def test_a_name_that_is_none_or_is_taken_is_refused(notion: Connector, name: str) -> None:
    tool = forked(notion).tools.get(name="delete_page")
    with pytest.raises(ValidationError):
        rename(tool, name)
    tool.refresh_from_db()
    assert tool.name == "delete_page"


def test_a_name_by_which_another_tool_is_still_called_is_refused(notion: Connector) -> None:
    made = forked(notion)
    soon = timezone.now() + timedelta(days=1)
    ToolAlias.objects.create(connector=made, name="page", tool=made.tools.get(name="get_page"), expires_at=soon)
    with pytest.raises(ValidationError, match="still called by it"):
        rename(made.tools.get(name="delete_page"), "page")


def test_the_tools_of_what_is_no_fork_keep_their_catalog_s_names(notion: Connector) -> None:
    with pytest.raises(ValidationError, match="Fork the connector"):
        rename(notion.tools.get(name="get_page"), "page")


def test_frozen_tools_follow_a_renamed_tool(notion: Connector, alice: Member) -> None:
    made = forked(notion)
    box = Toolbox.objects.create(organization=alice.organization, owner=alice, name="Box")
    frozen = FrozenTool.objects.create(toolbox=box, connector=made, tool="get_page")
    rename(made.tools.get(name="get_page"), "page")
    frozen.refresh_from_db()
    assert frozen.tool == "page"


def test_a_change_by_hand_is_audited_without_the_texts(notion: Connector, alice: Member) -> None:
    tool = forked(notion).tools.get(name="get_page")
    tools.change(tool=tool, name="page", description="canary", enabled=False, surface=Surface.ADMIN, actor=alice)
    event = AuditEvent.objects.get(action="tool.change")
    assert event.target == "tool:wiki.page"
    assert event.detail == {"changed": ["name", "description", "enabled"], "before": "get_page"}


def test_what_was_never_forked_or_whose_original_is_gone_has_nothing_to_pull_from(notion: Connector) -> None:
    with pytest.raises(Conflict, match="no fork"):
        forks.difference_of(notion)
    made = forked(notion)
    notion.delete()
    made.refresh_from_db()
    with pytest.raises(Conflict, match="notion, which was deleted"):
        forks.pull(fork=made, picks=["new-x"], surface=Surface.SYSTEM)
    assert made.lineage == ["notion"]
