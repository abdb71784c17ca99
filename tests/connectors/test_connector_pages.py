"""A connector in the admin: what there is to know of it, forking it, pulling into it, renaming a fork's tools."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accesscontrol.models import AuditEvent, Member, Organization, Surface
from connectors.models import Connection, Connector, Tool
from connectors.services import forks
from tests import cast


@pytest.fixture
def client(alice: Member) -> Client:
    return signed_in(alice)


@pytest.fixture
def notion(acme: Organization) -> Connector:
    notion = cast.connector(acme, base_url="https://api.notion.example", catalog_url="https://notion.example/api.json")
    cast.tool(notion, "get_page", "Get a page")
    cast.tool(notion, "create_page", "Create a page", method="POST")
    cast.tool(notion, "delete_page", "Delete a page", method="DELETE", enabled=False, deprecated=True)
    return notion


@pytest.fixture
def wiki(notion: Connector) -> Connector:
    return forks.fork(connector=notion, slug="wiki", label="Wiki", surface=Surface.SYSTEM)


def signed_in(member: Member) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def page(name: str, connector: Connector) -> str:
    return reverse(f"admin:connectors_connector_{name}", args=[connector.pk])


def tool_page(tool: Tool) -> str:
    return reverse("admin:connectors_tool_change", args=[tool.pk])


def test_a_connector_s_page_says_what_an_administrator_needs_to_know(
    client: Client, notion: Connector, wiki: Connector, alice: Member
) -> None:
    cast.connection(alice, notion)
    cast.connection(alice, notion, "Old", status=Connection.Status.NEEDS_REAUTH)
    seen = client.get(page("change", notion)).content.decode()
    for said in (
        "2: 1 read, 1 write; 1 are switched off; 1 are called deprecated by the catalog",
        "1 active, 1 needs signing in again",
        "10 calls at a time, as many calls a minute as the product takes",
        "https://notion.example/api.json",
        "Wiki (wiki)",
        "Import again",
    ):
        assert said in seen
    assert "Pull from upstream" not in seen
    of_fork = client.get(page("change", wiki)).content.decode()
    assert "Notion (notion)" in of_fork
    assert "blocks of those hold here too" in of_fork
    assert "Pull from upstream" in of_fork
    assert "Import again" not in of_fork


def test_the_queries_of_a_page_do_not_grow_with_tools_and_forks(client: Client, notion: Connector) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            client.get(page("change", notion))
        return len(asked)

    few = queries()
    for number in range(20):
        cast.tool(notion, f"tool_{number}")
    for slug in ("wiki", "wiki2", "wiki3"):
        forks.fork(connector=notion, slug=slug, label=slug, surface=Surface.SYSTEM)
    assert queries() <= few


def test_forking_from_the_page(client: Client, notion: Connector, alice: Member) -> None:
    given = {"slug": "wiki", "label": "Wiki", "base_url": "https://wiki.acme.example"}
    done = client.post(page("fork", notion), given, follow=True)
    assert "Wiki was forked from Notion" in done.content.decode()
    made = Connector.objects.get(slug="wiki")
    assert (made.base_url, made.forked_from) == ("https://wiki.acme.example", notion)
    assert AuditEvent.objects.get(action="connector.fork").actor == alice


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"slug": "notion"}, "already exists"),
        ({"slug": "No Slug"}, "lower-case letters"),
        ({"label": ""}, "required"),
        ({"base_url": "nonsense"}, "Enter a valid URL"),
    ],
)
def test_what_cannot_be_forked_is_told_in_the_form(
    client: Client, notion: Connector, given: dict[str, str], said: str
) -> None:
    response = client.post(page("fork", notion), {"slug": "wiki", "label": "Wiki", "base_url": "", **given})
    assert response.status_code == 200
    assert said in response.content.decode()
    assert Connector.objects.count() == 1


def test_pulling_takes_what_is_ticked(client: Client, notion: Connector, wiki: Connector) -> None:
    cast.tool(notion, "share_page", "Share <a> page")
    notion.tools.filter(name="get_page").update(description="Gets a page")
    wiki.tools.filter(name="create_page").update(description="Ours")
    notion.tools.filter(name="create_page").update(description="Theirs")
    notion.tools.get(name="delete_page").delete()
    shown = client.get(page("pull", wiki)).content.decode()
    for said in ("Gets a page", "description: Ours", "description: Theirs", "Share &lt;a&gt; page", "Gone upstream"):
        assert said in shown
    difference = forks.difference_of(wiki)
    picks = [item.key for item in (*difference.new, *difference.removed)]
    done = client.post(page("pull", wiki), {"picks": picks}, follow=True)
    assert "2 of them were taken into Wiki" in done.content.decode()
    assert {tool.name: tool.description for tool in wiki.tools.all()} == {
        "get_page": "Get a page",
        "create_page": "Ours",
        "share_page": "Share <a> page",
    }


def test_what_is_safe_is_ticked_beforehand_and_nothing_else(client: Client, notion: Connector, wiki: Connector) -> None:
    cast.tool(notion, "share_page", "Shares")
    notion.tools.filter(name="get_page").update(description="Gets a page")
    shown = client.get(page("pull", wiki)).content.decode()
    ticked = [
        tag for tag in re.findall(r"<input[^>]*>", shown) if 'name="picks"' in tag and re.search(r"\schecked[\s>]", tag)
    ]
    assert [forks.difference_of(wiki).safe[0].key in box for box in ticked] == [True]


def test_a_pull_that_is_refused_says_why(client: Client, notion: Connector, wiki: Connector) -> None:
    assert "There is nothing to take" in client.get(page("pull", wiki)).content.decode()
    stale = client.post(page("pull", wiki), {"picks": ["new-0"]})
    assert "changed meanwhile" in stale.content.decode()
    notion.delete()
    gone = client.get(page("pull", wiki), follow=True)
    assert "which was deleted" in gone.content.decode()


def test_a_fork_s_tool_is_renamed_on_its_page_and_another_s_is_not(
    client: Client, notion: Connector, wiki: Connector
) -> None:
    tool = wiki.tools.get(name="get_page")
    given = {"name": "page", "description": "A page", "enabled": "on"}
    assert client.post(tool_page(tool), given).status_code == 302
    tool.refresh_from_db()
    assert (tool.name, tool.description, tool.former_names) == ("page", "A page", ["get_page"])
    other = notion.tools.get(name="get_page")
    assert client.post(tool_page(other), given).status_code == 302
    other.refresh_from_db()
    assert (other.name, other.description) == ("get_page", "A page")


@pytest.mark.parametrize(("name", "said"), [("create_page", "already"), ("Page!", "snake_case"), ("", "required")])
def test_a_name_that_cannot_be_is_told_beside_the_field(client: Client, wiki: Connector, name: str, said: str) -> None:
    tool = wiki.tools.get(name="get_page")
    response = client.post(tool_page(tool), {"name": name, "description": "", "enabled": "on"})
    assert response.status_code == 200
    assert said in response.content.decode()


def test_limits_address_and_scheme_of_a_fork_are_its_own(client: Client, notion: Connector, wiki: Connector) -> None:
    given = {
        "label": "Wiki",
        "aliases": "[]",
        "base_url": "https://wiki.acme.example",
        "hosts": "[]",
        "auth": '{"kind": "basic"}',
        "max_concurrent_calls": "3",
        "calls_per_minute": "60",
        "enabled": "on",
    }
    assert client.post(page("change", wiki), given).status_code == 302
    wiki.refresh_from_db()
    notion.refresh_from_db()
    assert (wiki.base_url, wiki.max_concurrent_calls, wiki.calls_per_minute) == ("https://wiki.acme.example", 3, 60)
    assert wiki.auth["kind"] == "basic"
    assert (notion.base_url, notion.max_concurrent_calls) == ("https://api.notion.example", 10)


@pytest.mark.parametrize("name", ["fork", "pull", "reimport", "change"])
def test_another_organization_s_connector_has_no_pages(client: Client, charlie: Member, name: str) -> None:
    vault = cast.connector(charlie.organization, "umbrella_vault", "Umbrella Vault")
    for response in (client.get(page(name, vault)), client.post(page(name, vault), {"slug": "x", "label": "X"})):
        assert response.status_code == 404
        assert "umbrella" not in response.content.decode().lower()


@pytest.mark.parametrize("name", ["fork", "pull", "reimport"])
def test_who_only_views_connectors_changes_nothing(acme: Organization, wiki: Connector, name: str) -> None:
    gus = signed_in(cast.member(acme, "gus", "auditor", staff=True))
    assert gus.get(page("change", wiki)).status_code == 200
    assert gus.post(page(name, wiki), {"slug": "x", "label": "X", "picks": "y"}).status_code == 403
    tool = wiki.tools.get(name="get_page")
    gus.post(tool_page(tool), {"name": "page", "description": ""})
    tool.refresh_from_db()
    assert tool.name == "get_page"
