"""Which apps a query names, and what follows: scope if the app is here, an empty answer if it is not."""

import pytest

from search.ranking import AppName, PoolIndex
from tests.search.ranking.pools import BOX, JIRA, NOTION, OFFICE, names, pool, tool

KNOWN = ("Cal.com", "Trello", "Make", "Linear", "Monday.com", AppName("Acme CRM", aliases=("acme", "roadrunner")))


@pytest.mark.parametrize(
    "query",
    [
        "in Close",
        "list leads in Close",
        "list leads in close",
        "create a Close lead",
        "close_list_leads_by_owner",
    ],
)
def test_an_ordinary_word_with_a_cue_names_the_app(query: str) -> None:
    assert pool(*OFFICE).search(query).scope == ("Close",)


@pytest.mark.parametrize("query", ["Box folder", "create a Box folder", "box_list_folders", "files from Box", "box"])
def test_a_noun_names_its_app_also_where_it_opens_the_query(query: str) -> None:
    assert pool(*OFFICE).search(query).scope == ("Box",)


@pytest.mark.parametrize(
    "query", ["close the ticket", "close_ticket", "to close the issue", "make a page", "box of notes", "a box of notes"]
)
def test_an_ordinary_word_without_a_cue_neither_scopes_nor_refuses(query: str) -> None:
    result = pool(*OFFICE, known=KNOWN).search(query)
    assert (result.scope, result.named_elsewhere) == ((), ())


@pytest.mark.parametrize("query", ["meetings on Monday", "from Monday to Friday", "what is due on monday"])
def test_a_weekday_is_not_an_app(query: str) -> None:
    assert pool(*JIRA, known=KNOWN).search(query).named_elsewhere == ()


@pytest.mark.parametrize(
    ("query", "label"),
    [
        ("list_all_cal_com_schedules", "Cal.com"),
        ("calcom list schedules", "Cal.com"),
        ("show my Cal.com bookings", "Cal.com"),
        ("send via Make", "Make"),
        ("create a page in Trello", "Trello"),
        ("trello_create_page", "Trello"),
        ("trelloCreatePage", "Trello"),
        ("create item on monday.com", "Monday.com"),
        ("find my roadrunner page", "Acme CRM"),
        ("list users of my linear workspace", "Linear"),
    ],
)
def test_naming_an_app_that_is_not_here_gets_an_empty_answer_that_says_so(query: str, label: str) -> None:
    result = pool(*NOTION, known=KNOWN).search(query)
    assert (result.hits, result.named_elsewhere) == ((), (label,))


def test_a_well_known_product_that_nobody_can_connect_here_is_refused_apart() -> None:
    result = pool(*NOTION).search("create a page in Salesforce")
    assert (result.hits, result.named_elsewhere, result.named_products) == ((), (), ("Salesforce",))


def test_a_product_that_stands_in_the_names_of_tools_is_their_topic() -> None:
    index = pool(tool("hosting_list_mysql_databases", "Lists databases.", "Hosting"), *NOTION)
    assert names(index.search("List MySQL databases")) == ["hosting_list_mysql_databases"]


def test_naming_a_connected_app_asks_only_its_tools() -> None:
    index = pool(*NOTION, *JIRA, tool("slack_add_comment", "Adds a comment.", "Slack"))
    assert names(index.search("add a comment in Jira")) == ["jira_add_comment"]


def test_with_one_app_here_and_one_elsewhere_the_one_here_is_asked() -> None:
    result = pool(*OFFICE, known=KNOWN).search("create a Jira issue from the Trello card")
    assert result.scope == ("Jira",)
    assert result.named_elsewhere == ("Trello",)
    assert names(result)[0] == "jira_create_issue"


def test_the_longest_name_wins() -> None:
    index = pool(tool("list_files", "", "Google Drive"), tool("list_events", "", "Google Calendar"))
    assert index.search("events of Google Calendar").scope == ("Google Calendar",)


def test_an_app_is_found_by_the_aliases_of_its_product() -> None:
    index = pool(tool("x_search_posts", "Searches posts.", "X"), *JIRA)
    assert index.search("find recent tweets about us").scope == ("X",)


def test_several_apps_may_share_a_name() -> None:
    index = pool(tool("list_mails", "", "Outlook Mail"), tool("list_events", "", "Outlook Calendar"), *JIRA)
    assert set(index.search("show events in Outlook").scope) == {"Outlook Mail", "Outlook Calendar"}
    assert index.search("show events in Outlook Calendar").scope == ("Outlook Calendar",)


@pytest.mark.parametrize("query", ["GitHub issues", "github issues", "GITHUB issues", "githubIssues"])
def test_a_brand_is_one_word_however_it_is_written(query: str) -> None:
    index = pool(tool("list_issues", "Lists issues.", "GitHub"), tool("list_users", "Lists users.", "GitHub"), *NOTION)
    result = index.search(query)
    assert (result.scope, names(result)[0]) == (("GitHub",), "list_issues")


def test_apps_inside_literals_are_not_named() -> None:
    result = pool(*NOTION, known=KNOWN).search(
        "create page 'Trello migration' for ann@trello.com, see https://trello.com/x"
    )
    assert result.named_elsewhere == ()
    assert names(result)[0] == "notion_create_page"


def test_the_app_alone_lists_its_tools() -> None:
    result = pool(*OFFICE).search("Jira")
    assert names(result) == sorted(document.name for document in JIRA)
    assert {hit.coverage for hit in result.hits} == {1.0}


def test_a_restricted_app_is_not_recognised_for_the_visible_pool() -> None:
    hidden = [tool("zephyr_create_page", "Creates a page.", "Zephyr Vault")]
    index = PoolIndex.build(NOTION, restricted=hidden)
    assert index.search("create page in Zephyr Vault") == pool(*NOTION).search("create page in Zephyr Vault")
    assert names(index.search_restricted("create page in Zephyr Vault")) == ["zephyr_create_page"]


def test_an_exact_name_does_not_lead_around_an_app_that_is_not_here() -> None:
    index = pool(*NOTION, tool("createInvoice", "", "Xero"), known=("Square", "Trello"))
    assert index.search("createInvoice in Square").hits == ()
    assert names(index.search("createInvoice")) == ["createInvoice"]


def test_a_tool_may_have_an_app_elsewhere_in_its_name() -> None:
    index = pool(*NOTION, tool("notion_import_trello_board", "", "Notion"), known=KNOWN)
    assert names(index.search("notion_import_trello_board"))[0] == "notion_import_trello_board"


def test_one_app_of_the_pool_named_by_the_head_of_its_label() -> None:
    index = pool(tool("list_files", "", "Dropbox Business"), *BOX)
    assert index.search("list files in Dropbox").scope == ("Dropbox Business",)
