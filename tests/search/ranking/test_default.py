"""The default profile: what it ranks first, and what it lets through."""

import pytest

from tests.search.ranking.pools import BOX, JIRA, NOTION, OFFICE, names, pool, scores, tool


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("create page", "notion_create_page"),
        ("createPage", "notion_create_page"),
        ("list issues", "jira_list_issues"),
        ("get issue", "jira_get_issue"),
        ("Can you please list the issues for me in Jira?", "jira_list_issues"),
        ("I would like to add a comment to an issue", "jira_add_comment"),
        ("Show me the files of folder 'Contracts 2024'", "box_list_files"),
        ("remove an issue", "jira_delete_issue"),
        ("summary project", "jira_create_issue"),
    ],
)
def test_the_right_tool_comes_first(query: str, first: str) -> None:
    assert names(pool(*OFFICE).search(query))[0] == first


@pytest.mark.parametrize(
    "query",
    [
        "book a table for two at an Italian restaurant near the office",
        "What is the weather like in Lisbon?",
        "Recommend a thriller movie for tonight",
        "translate this poem into French",
        "convert_currency",
        "everything",
    ],
)
def test_a_query_about_something_else_gets_nothing(query: str) -> None:
    assert names(pool(*OFFICE).search(query)) == []


@pytest.mark.requirement("S7")
def test_a_prefix_ranks_but_does_not_cover() -> None:
    index = pool(*NOTION, *JIRA)
    assert names(index.search("com")) == []
    assert names(index.search("comm list")) == []
    ranked = pool(tool("list_authors"), tool("list_authorizations")).search("list authorization")
    assert names(ranked)[0] == "list_authorizations"


def test_add_does_not_prefer_an_address_book() -> None:
    index = pool(tool("address-book-list", "Lists addresses."), tool("contacts_add", "Adds a contact."))
    assert names(index.search("add")) == ["contacts_add"]


@pytest.mark.parametrize("query", ["asana", "alpha", "a"])
def test_a_one_letter_name_term_covers_nothing_else(query: str) -> None:
    found = names(pool(tool("create_a_task"), tool("list_users")).search(query))
    assert found == (["create_a_task"] if query == "a" else [])


def test_the_number_that_the_query_spells_comes_first() -> None:
    index = pool(tool("get_issue"), tool("get_issues"))
    assert names(index.search("get issues")) == ["get_issues", "get_issue"]
    assert names(index.search("get issue")) == ["get_issue", "get_issues"]


def test_a_tool_that_does_something_else_comes_after_one_that_does_what_is_asked() -> None:
    index = pool(tool("delete_pool"), tool("list_pool"), tool("update_pool"))
    assert names(index.search("retrieve the pool"))[0] == "list_pool"
    assert names(index.search("remove the pool"))[0] == "delete_pool"


def test_a_long_server_prefix_does_not_weigh_a_name_down() -> None:
    label = "Very Long Product Name Of A Big Server"
    index = pool(
        tool("very_long_product_name_of_a_big_server_send_mail", "", label),
        tool("send_mail_to_list_members_in_batches", "", "Other"),
    )
    assert names(index.search("send mail"))[0].startswith("very_long")


def test_parameters_are_evidence() -> None:
    assert names(pool(*OFFICE).search("parent properties")) == ["notion_create_page"]


@pytest.mark.requirement("S8")
def test_what_merging_and_freezing_add_to_a_tool_is_no_evidence() -> None:
    merged = tool(
        "list_tickets", "Lists. Set `connection` to one of: Alice. (frozen: project=ENG)", "", ("connection",)
    )
    index = pool(merged, *NOTION)
    for word in ("connection", "frozen", "set", "more"):
        assert names(index.search(word)) == []
    assert names(index.search("alice")) == names(index.search("eng")) == ["list_tickets"]


def test_function_words_carry_no_mass_unless_nothing_else_is_there() -> None:
    index = pool(*OFFICE, tool("who_am_i", "", "Acme"))
    assert names(index.search("could you please list the leads for me?")) == names(index.search("list leads"))
    assert names(index.search("who am i"))[0] == "who_am_i"
    assert names(index.search("please can you")) == []


@pytest.mark.parametrize(
    "literal",
    [
        "'Hello World'",
        '"Hello World"',
        "“Hello World”",
        "ann@example.com",
        "https://example.com/a?b=c",
        "1234567890",
        "2025-01-31",
        "PROJ-123",
        "#general",
        "@ann",
        "/data/reports",
        "Reports/q1.pdf",
        "1b37a62b04d48079a902ce69ed7e7240",
        "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
    ],
)
def test_literals_name_data_and_not_tools(literal: str) -> None:
    plain = pool(*OFFICE).search("add a comment to the issue")
    result = pool(*OFFICE).search(f"add a comment to the issue {literal}")
    assert names(result) == names(plain)
    assert result.unmatched_terms == ()


def test_people_and_places_in_a_sentence_are_data() -> None:
    result = pool(*OFFICE).search("add a comment to the issue that Ada Lovelace wrote to us from Rio Grande")
    assert "lovelace" not in result.unmatched_terms
    assert names(result)[0] == "jira_add_comment"


def test_a_query_of_literals_alone_is_taken_at_its_word() -> None:
    index = pool(*OFFICE)
    assert names(index.search("'list leads'")) == names(index.search("list leads"))
    assert index.search("12345").hits == ()


def test_a_list_of_clauses_is_answered_clause_by_clause() -> None:
    result = pool(*OFFICE).search("quarterly revenue forecast, share file, payroll export")
    assert names(result)[0] == "box_share_file"
    assert names(pool(*OFFICE).search("invoke satellite or create folder"))[0] == "box_create_folder"


def test_the_same_words_in_a_sentence_are_not() -> None:
    assert pool(*OFFICE).search("I need a quarterly revenue forecast, share price, payroll export").hits == ()


@pytest.mark.requirement("S10")
def test_a_short_query_keeps_the_plain_half() -> None:
    index = pool(*OFFICE)
    assert names(index.search("list payroll")) == []
    assert names(index.search("list leads"))[0] == "close_list_leads"


@pytest.mark.requirement("S14")
def test_words_that_nothing_holds_are_told_as_the_query_spells_them() -> None:
    assert pool(*OFFICE).search("list payrolls and issues").unmatched_terms == ("payrolls",)


def test_equal_scores_keep_codepoint_order() -> None:
    index = pool(tool("zeta_page"), tool("Alpha_page"), tool("éta_page"), tool("alpha_page"))
    assert names(index.search("page")) == ["Alpha_page", "alpha_page", "zeta_page", "éta_page"]
    assert len(set(scores(index.search("page")).values())) == 1


def test_duplicate_names_of_two_connectors_both_come_back_in_label_order() -> None:
    index = pool(tool("list_users", "", "Zeta"), tool("list_users", "", "Alpha"))
    assert [hit.document.connector_label for hit in index.search("list_users").hits] == ["Alpha", "Zeta"]
    assert [hit.document.connector_label for hit in index.search("list_users in Zeta").hits] == ["Zeta"]


@pytest.mark.parametrize("query", ["create folder", "box_create_folder", "folder"])
def test_a_pool_of_one(query: str) -> None:
    index = pool(BOX[1])
    assert names(index.search(query)) == ["box_create_folder"]
    assert names(index.search("delete invoice")) == []


def test_an_empty_pool() -> None:
    assert pool().search("create page").hits == ()
    assert pool().search("").hits == ()
    assert pool().nearest_refused("create page") == ()


def test_a_very_long_query_is_cut_and_says_so() -> None:
    result = pool(*JIRA).search("add comment " + "x " * 5000)
    assert result.cut
    assert names(result) == ["jira_add_comment"]
    assert not pool(*JIRA).search("add comment").cut
