"""Plain text out of what vendors write for people."""

import pytest

from connectors.catalog.text import plain_text


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("<p>Creates a <b>page</b>.</p><p>Twice.</p>", "Creates a page.\n\nTwice."),
        ("Two  spaces\t and a tab", "Two spaces and a tab"),
        ("one\n\n\n\n\ntwo", "one\n\ntwo"),
        ("<ul><li>a</li><li>b</li></ul>", "a\n\nb"),
        ("Use <user_id> or <http://example.com>", "Use <user_id> or <http://example.com>"),
        ("a &lt; b &amp;&nbsp;c", "a < b & c"),
        ("x<script>alert('no')</script>y<!-- z -->", "x y"),
        ("<a href='https://x.example'>docs</a>", "docs"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("   ", ""),
    ],
)
def test_markup_and_needless_space_go(text: str, plain: str) -> None:
    assert plain_text(text, 200) == plain


def test_a_long_text_ends_after_its_last_whole_sentence() -> None:
    assert plain_text("A first sentence. A second one! " + "word " * 100, 40) == "A first sentence. A second one!"


def test_a_long_sentence_is_cut_between_words() -> None:
    cut = plain_text("word " * 100, 40)
    assert cut == "word word word word word word word word…"
    assert len(cut) <= 40


def test_one_endless_word_is_cut_at_the_limit() -> None:
    assert plain_text("x" * 100, 40) == "x" * 39 + "…"


def test_markup_that_never_ends_takes_no_time_to_strip() -> None:
    assert plain_text("<p " * 400_000, 1024)
