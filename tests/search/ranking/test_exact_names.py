"""A query that is or holds a tool's whole name gets that tool first."""

import pytest

from search.ranking import PROFILES, PoolIndex, ToolDocument
from tests.search.ranking.pools import JIRA, NOTION, OFFICE, names, pool, tool

SENTENCE = (
    "We talked for a long while about the quarterly plan and nobody wrote anything down so please run {} now and then "
    "tell the whole team what came out of it before the meeting starts"
)


@pytest.mark.parametrize("profile", sorted(PROFILES))
@pytest.mark.parametrize("document", OFFICE, ids=lambda document: document.name)
def test_a_query_that_is_a_name_returns_it_first(profile: str, document: ToolDocument) -> None:
    index = PoolIndex.build(OFFICE, profile=PROFILES[profile])
    assert index.search(document.name).hits[0].document is document


@pytest.mark.parametrize("document", OFFICE, ids=lambda document: document.name)
def test_so_does_a_sentence_of_thirty_words(document: ToolDocument) -> None:
    hit = pool(*OFFICE).search(SENTENCE.format(document.name)).hits[0]
    assert (hit.document, hit.named, hit.coverage) == (document, True, 1.0)


@pytest.mark.parametrize("template", ["{} {}", "use {}, then {}", "`{}` and `{}`", "{}(x) -> {}(y)"])
def test_several_names_come_in_the_querys_order(template: str) -> None:
    query = template.format("jira_get_issue", "box_share_file")
    assert names(pool(*OFFICE).search(query))[:2] == ["jira_get_issue", "box_share_file"]


@pytest.mark.parametrize(
    "written", ["notionCreatePage", "notion-create-page", "notion create page", "Notion_Create_Page"]
)
def test_a_name_is_the_same_however_its_words_are_joined(written: str) -> None:
    assert pool(*OFFICE).search(written).hits[0].document.name == "notion_create_page"


def test_the_number_of_a_noun_tells_two_names_apart() -> None:
    index = pool(tool("list_user"), tool("list_users"))
    assert names(index.search("list_users"))[0] == "list_users"
    assert names(index.search("list_user"))[0] == "list_user"


def test_a_plain_word_in_a_sentence_is_not_a_name() -> None:
    index = pool(tool("search", "Searches the web.", "Web"), *NOTION, *JIRA)
    assert index.search("search").hits[0].named
    assert not any(hit.named for hit in index.search("search the issues of the project").hits)


def test_a_name_that_is_not_here_finds_nothing_for_being_a_name() -> None:
    assert names(pool(*OFFICE).search("salesforce_create_opportunity")) == []
