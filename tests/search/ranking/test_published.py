"""The published rule, to the letter: 5/3/2/1, and a floor of half the query's own weighted mass."""

import math

import pytest

from search.ranking import PROFILES, PoolIndex, ToolDocument
from search.ranking.tokens import camel_parts, plain_terms
from tests.search.ranking.pools import names, published, scores, tool

NOTION = [
    tool("notion_list_all_users", "Lists every user of the workspace.", "Notion"),
    tool("notion_list_all_comments", "Lists the comments of a block.", "Notion"),
    tool("notion_create_page", "Creates a page.", "Notion"),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("list_all_cal_com_schedules", ["list", "all", "cal", "com", "schedules"]),
        ("listHTTPServers", ["list", "http", "servers"]),
        ("userIDs", ["user", "ids"]),
        ("Cal.com", ["cal", "com"]),
        ("GitHub", ["git", "hub"]),
        ("S3Bucket v2", ["s3", "bucket", "v2"]),
        ("ﬁle Ⅳ", ["file", "iv"]),
        ("STRASSE straße", ["strasse", "strasse"]),
        ("Café 日本語", ["café", "日本語"]),
        ("— … !", []),
    ],
)
def test_terms_are_runs_of_letters_and_digits_split_at_camel_case(text: str, expected: list[str]) -> None:
    assert plain_terms(text) == expected


def test_an_all_upper_word_is_one_term() -> None:
    assert camel_parts("GET") == ["GET"]


@pytest.mark.requirement("S6")
@pytest.mark.requirement("S7")
@pytest.mark.parametrize(
    ("document", "query", "score"),
    [
        (tool("create_page"), "page", 5),
        (tool("create_pages"), "page", 3),
        (tool("create_page"), "pages", 3),
        (tool("x", label="Page"), "page", 2),
        (tool("x", "A page."), "page", 1),
        (tool("create_page", "A page.", "Page"), "page", 8),
        (tool("create_pages", "A page.", "Page"), "page", 6),
        (tool("create_page", "Create a page."), "create page", 12),
        (tool("create_page"), "page page PAGE", 5),
        (tool("create_page_pages"), "page", 5),
    ],
)
def test_a_term_adds_five_three_two_and_one(document: ToolDocument, query: str, score: float) -> None:
    index = published(document)
    assert [hit.score for hit in index.search(query).hits] == [score]


@pytest.mark.requirement("S7")
def test_a_prefix_shorter_than_three_characters_is_none() -> None:
    index = published(tool("member_token"), tool("a"))
    assert index.search("me").hits == ()
    assert index.search("to").hits == ()
    assert names(index.search("mem")) == ["member_token"]
    assert index.search("asana").hits == ()


@pytest.mark.requirement("S8")
@pytest.mark.parametrize("word", ["set", "connection", "frozen", "more"])
def test_boilerplate_words_score_nothing_in_a_description(word: str) -> None:
    boilerplate = "Set `connection` to one of: Alice and 2 more. (frozen: project=ENG)"
    index = published(tool("create_issue", boilerplate, "Jira"))
    assert index.search(word).hits == ()
    assert names(published(tool(f"{word}_status")).search(word)) == [f"{word}_status"]


@pytest.mark.requirement("S8")
def test_account_labels_and_frozen_values_stay_scorable() -> None:
    index = published(tool("create_issue", "Set `connection` to one of: Alice. (frozen: project=ENG)"))
    assert scores(index.search("alice")) == {"create_issue": 1}
    assert scores(index.search("eng")) == {"create_issue": 1}


@pytest.mark.requirement("S9")
def test_equal_scores_are_ordered_by_codepoint() -> None:
    index = published(tool("a_page"), tool("Z_page"), tool("_page"), tool("é_page"), tool("ä_page"))
    assert names(index.search("page")) == ["Z_page", "_page", "a_page", "ä_page", "é_page"]


@pytest.mark.requirement("S2")
def test_the_limit_cuts_the_list_and_not_the_count() -> None:
    index = published(*(tool(f"page_{number}") for number in range(30)))
    result = index.search("page", limit=4)
    assert names(result) == ["page_0", "page_1", "page_10", "page_11"]
    assert result.matched == 30


def test_the_limit_keeps_the_best_of_many() -> None:
    index = published(*(tool(f"pages_{number:02}") for number in range(60)), tool("zz_page"))
    assert names(index.search("page", limit=2)) == ["zz_page", "pages_00"]


@pytest.mark.requirement("S10")
def test_exactly_half_of_the_mass_is_enough() -> None:
    index = published(tool("alpha"), tool("beta"))
    assert names(index.search("alpha beta")) == ["alpha", "beta"]
    assert [hit.coverage for hit in index.search("alpha beta").hits] == [0.5, 0.5]


@pytest.mark.requirement("S10")
@pytest.mark.requirement("S15")
def test_no_score_lifts_a_tool_above_the_floor() -> None:
    index = published(tool("page", "page", "page"), *(tool(f"page_{n}") for n in range(20)), tool("x", "quarterly"))
    assert names(index.search("page quarterly")) == ["x"]


@pytest.mark.requirement("S11")
def test_the_weight_of_a_term_is_its_inverse_document_frequency_in_this_pool() -> None:
    index = published(tool("a_page"), tool("b_page"), tool("c_user"))
    weights = {match.term: match.weight for match in index.search("c user page page").hits[0].terms}
    assert weights == {
        "c": math.log(1 + 3 / 1),
        "user": math.log(1 + 3 / 1),
        "page": math.log(1 + 3 / 2),
    }


@pytest.mark.requirement("S11")
def test_a_word_counts_once_a_tool_whichever_fields_hold_it() -> None:
    index = published(tool("page", "A page.", "Page"), tool("user"))
    assert index.search("page").hits[0].terms[0].weight == math.log(1 + 2 / 1)


@pytest.mark.requirement("S10")
def test_a_term_matched_by_prefix_alone_accounts_for_three_fifths() -> None:
    index = published(tool("list_comments"))
    assert [hit.coverage for hit in index.search("comment").hits] == [0.6]
    both = published(tool("list_comments", "comment")).search("comment")
    assert [(hit.coverage, hit.score) for hit in both.hits] == [(1.0, 4)]


@pytest.mark.requirement("S13")
@pytest.mark.parametrize("profile", sorted(PROFILES))
@pytest.mark.parametrize("known", [[], ["Notion", "Cal.com"]])
@pytest.mark.parametrize("pool", [NOTION, NOTION[:2], NOTION[1:2]])
def test_with_only_notion_connected_a_cal_com_query_is_empty(
    profile: str, known: list[str], pool: list[ToolDocument]
) -> None:
    index = PoolIndex.build(pool, profile=PROFILES[profile], known_labels=known)
    assert index.search("list_all_cal_com_schedules").hits == ()


@pytest.mark.requirement("S12")
def test_the_same_half_holds_for_one_word_and_for_six() -> None:
    index = published(*NOTION)
    assert names(index.search("comments")) == ["notion_list_all_comments"]
    assert index.search("schedules").hits == ()
    assert index.search("list_all_stripe_open_payout_schedules").hits == ()


@pytest.mark.requirement("S14")
def test_an_empty_answer_says_which_words_nothing_holds() -> None:
    result = published(*NOTION).search("list cal schedules")
    assert (result.hits, result.matched, result.unmatched_terms) == ((), 0, ("cal", "schedules"))


@pytest.mark.parametrize("query", ["", " ", "\n\t"])
def test_an_empty_query_browses_by_name(query: str) -> None:
    result = published(*reversed(NOTION)).search(query)
    assert names(result) == sorted(document.name for document in NOTION)
    assert result.matched == 3


@pytest.mark.parametrize("query", ["???", "— …", "🚀"])
def test_a_query_of_punctuation_finds_nothing(query: str) -> None:
    assert published(*NOTION).search(query).hits == ()


def test_an_empty_pool_answers_nothing() -> None:
    assert published().search("page").hits == ()
    assert published().search("").hits == ()


@pytest.mark.requirement("S19")
@pytest.mark.requirement("S20")
def test_restricted_tools_are_ranked_apart_with_the_visible_weights() -> None:
    visible = [tool("list_pages"), tool("list_users")]
    hidden = [tool("delete_users", "Restricted."), tool("list_secrets")]
    index = published(*visible, restricted=hidden)
    bare = published(*visible)
    for query in ["list", "delete users", "users", "secrets", ""]:
        assert index.search(query) == bare.search(query)
    assert names(index.search_restricted("users")) == ["delete_users"]
    match = index.search_restricted("delete users").hits[0].terms
    assert [term.weight for term in match] == [math.log(1 + 2 / 0.5), math.log(1 + 2 / 1)]


def test_a_hit_says_what_each_term_did() -> None:
    index = published(tool("list_comments", "Notes on a page.", "Notion"))
    (hit,) = index.search("list comment notion page zebra").hits
    assert [(match.term, match.evidence, match.points, match.covered) for match in hit.terms] == [
        ("list", ("exact",), 5, 1.0),
        ("comment", ("prefix",), 3, 0.6),
        ("notion", ("label",), 2, 1.0),
        ("page", ("description",), 1, 1.0),
        ("zebra", (), 0, 0.0),
    ]
