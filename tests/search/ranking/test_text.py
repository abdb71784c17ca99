"""Text of every script: found when tools hold it, in whatever form it is written."""

import pytest

from search.ranking.language import singular
from search.ranking.literals import mask
from search.ranking.terms import document_terms
from search.ranking.words import read_words
from tests.search.ranking.pools import names, pool, tool

WORLD = (
    tool("ページ_作成", "新しいページを作成する", "ノート"),
    tool("创建发票", "为客户创建发票", "账单"),
    tool("list_users", "Список пользователей организации", "Тест"),
    tool("إنشاء_صفحة", "ينشئ صفحة جديدة", "دفتر"),
    tool("צור_דף", "יוצר דף חדש", "מחברת"),
    tool("पृष्ठ_बनाएं", "नया पृष्ठ बनाता है", "नोट"),
    tool("🚀_launch", "Launches a rocket.", "Rocket"),
    tool("café_order", "Orders a crème brûlée.", "Bistro"),
    tool("straße_suchen", "Sucht eine Straße.", "Karte"),
    tool("list_open_invoices", "Lists invoices.", "Books"),
)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("ページを作成", "ページ_作成"),
        ("作成", "ページ_作成"),
        ("发票", "创建发票"),
        ("список пользователей", "list_users"),
        ("صفحة جديدة", "إنشاء_صفحة"),
        ("דף חדש", "צור_דף"),
        ("नया पृष्ठ", "पृष्ठ_बनाएं"),
        ("🚀", "🚀_launch"),
        ("cafe order", "café_order"),
        ("CREME BRULEE", "café_order"),
        ("strasse suchen", "straße_suchen"),
        ("ｌｉｓｔ ｉｎｖｏｉｃｅｓ", "list_open_invoices"),  # noqa: RUF001 - full width is the point
    ],
)
def test_a_query_in_any_script_finds_the_tool_that_holds_it(query: str, found: str) -> None:
    assert names(pool(*WORLD).search(query))[0] == found


@pytest.mark.parametrize("query", ["天気予報を調べる", "погода завтра", "🎸", "طقس", "مرحبا بالعالم"])
def test_and_nothing_where_no_tool_holds_it(query: str) -> None:
    assert names(pool(*WORLD).search(query)) == []


@pytest.mark.parametrize("query", ["???", "…—…", "()[]{}", "\u200d\u200f", "''", "/"])
def test_punctuation_alone_finds_nothing(query: str) -> None:
    assert pool(*WORLD).search(query).hits == ()


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("getGitHubToken", ["get", "github", "token"]),
        ("GitHub and HubSpot", ["github", "and", "hubspot"]),
        ("userIDs", ["user", "id"]),
        ("Companies, boxes & statuses", ["company", "box", "status"]),
        ("日本", ["日", "本", "日本"]),
        ("Ünïcode", ["unicode"]),
        ("", []),
    ],
)
def test_terms_keep_brands_whole_and_fold_plurals_and_accents(text: str, terms: list[str]) -> None:
    assert document_terms(text) == terms


@pytest.mark.parametrize("word", ["news", "address", "status", "analysis", "is", "us", "canvas"])
def test_not_every_s_is_a_plural(word: str) -> None:
    assert singular(word) == word


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("rename 'My Page' to \"Your Page\"", "rename to"),
        ("the user's notes don't match", "the user's notes don't match"),
        ("delete John's 'draft'", "delete John's"),
        ("read/write access and/or more", "read/write access and/or more"),
        ("fork acme-inc/Website.next", "fork"),
        ("users/list", "users/list"),
        ("get_files_id_tasks v2 oauth2", "get_files_id_tasks v2 oauth2"),
        ("at 3pm on 2025-01-31 for $4.50", "at on for"),
    ],
)
def test_literals_are_cut_out_and_words_are_not(query: str, kept: str) -> None:
    assert mask(query).split() == kept.split()


def test_words_know_their_clause_and_their_identifier() -> None:
    words = read_words("list_files, createPage + send mail")
    assert [(word.folded, word.clause, word.identifier) for word in words] == [
        ("list", 0, 0),
        ("files", 0, 1),
        ("createpage", 1, 0),
        ("send", 3, -1),
        ("mail", 3, -1),
    ]


@pytest.mark.parametrize(
    "text",
    ["'" * 2000, "aB" * 1000, "a/" * 1000, "a." * 1000, "a.b-" * 500 + "@", "\u2018" * 2000, "1a" * 1000, "to_" * 660],
    ids=lambda text: text[:4],
)
def test_hostile_repetition_is_read_like_any_text(text: str) -> None:
    """A pattern that starts anew at every character would take seconds for each of these."""
    assert pool(*WORLD).search(text).matched <= len(WORLD)
