"""What users of other tool searches complained of, one test each, with the issue it came from."""

from search.ranking import PoolIndex
from tests.search.ranking.pools import JIRA, NOTION, OFFICE, names, pool, tool


def test_a_long_server_prefix_does_not_dominate() -> None:
    """claude-code#30466"""
    prefixed = [
        tool(f"acme_internal_issue_platform_{verb}_report", "", "Acme Internal Issue Platform")
        for verb in ("get", "list")
    ]
    assert names(pool(*prefixed, *JIRA).search("create issue"))[0] == "jira_create_issue"


def test_a_query_of_several_exact_names_misses_none() -> None:
    """codex#21503"""
    asked = ["jira_add_comment", "notion_search", "box_share_file", "close_create_lead"]
    assert names(pool(*OFFICE).search(" ".join(asked)))[:4] == asked


def test_a_query_without_an_ascii_letter_is_not_empty() -> None:
    """fastmcp#4886"""
    assert names(pool(tool("検索", "ページを検索する"), *JIRA).search("検索")) == ["検索"]


def test_add_finds_what_adds() -> None:
    """litellm PR#33949"""
    index = pool(*(tool(f"address-book-{verb}") for verb in ("get", "list", "find")), tool("add-contact"))
    assert names(index.search("add")) == ["add-contact"]


def test_prose_yields_no_filler() -> None:
    """ToolRegistry#330"""
    index = pool(tool("wait_for_event", "Waits for an event."), tool("search_for_text", "Searches for text."), *JIRA)
    assert names(index.search("list issues for me")) == names(index.search("list issues"))


def test_a_new_tool_is_found_by_the_next_index() -> None:
    """ToolRegistry#334"""
    extract = pool().profile.extract
    cached = extract(JIRA)
    assert names(PoolIndex.assemble([cached]).search("search pages")) == []
    assert "notion_search" in names(PoolIndex.assemble([cached, extract(NOTION)]).search("search pages"))


def test_one_app_does_not_hide_another_that_answers_as_well() -> None:
    """composio#2798"""
    many = [tool(f"many_page_{number:02}", "Something about a page.", "Many") for number in range(60)]
    result = pool(*many, tool("create_page", "Creates a page.", "Wiki")).search("create page", limit=5)
    assert names(result)[0] == "create_page"
    assert result.matched >= 1


def test_what_the_limit_cuts_is_counted() -> None:
    """cloudflare-os#91"""
    result = pool(*(tool(f"list_page_{number}") for number in range(80))).search("list page", limit=60)
    assert (len(result.hits), result.matched) == (60, 80)


def test_every_name_that_search_returns_is_in_the_pool() -> None:
    """toolhive PR#3337"""
    held = {document.name for document in OFFICE}
    for query in ("list", "create folder", "issue", "", "page or file"):
        assert set(names(pool(*OFFICE).search(query))) <= held


def test_the_limit_is_applied_after_the_floor_and_never_to_restricted_tools() -> None:
    """toolhive#4374, mcp-gateway-registry#50"""
    index = PoolIndex.build(JIRA, restricted=NOTION)
    assert names(index.search("create page", limit=1)) == []
    assert names(index.search_restricted("create page", limit=1)) == ["notion_create_page"]
