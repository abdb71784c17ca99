"""What an answer says beside its rows."""

from search.notes import Outcome, note


def test_an_answer_with_rows_needs_no_note() -> None:
    assert note(Outcome(total_tools=9, matched=2, restricted=1, unmatched=["foo"])) == ""


def test_an_empty_answer_says_which_words_nothing_holds() -> None:
    said = note(Outcome(total_tools=9, matched=0, restricted=0, unmatched=["foo", "bar"]))
    assert "foo, bar" in said
    assert "Try fewer or other words" in said


def test_an_app_that_could_be_connected_is_named() -> None:
    said = note(Outcome(total_tools=9, matched=0, restricted=0, connectable=["Cal.com"], unmatched=["cal"]))
    assert said == "Cal.com can be connected here but is not: elaichi__connection__connect starts it."


def test_a_product_that_nobody_here_can_connect_is_named() -> None:
    said = note(Outcome(total_tools=9, matched=0, restricted=0, unavailable=["Stripe", "Xero"]))
    assert said == "Stripe and Xero are not connected, and cannot be connected here."


def test_what_is_restricted_is_not_said_to_be_missing() -> None:
    said = note(Outcome(total_tools=9, matched=0, restricted=2, unmatched=["delete"]))
    assert "restricted for you" in said
    assert "delete" not in said


def test_without_any_account_the_way_to_one_is_told() -> None:
    assert "elaichi__connector__list" in note(Outcome(total_tools=0, matched=0, restricted=0))


def test_a_query_that_was_cut_is_said_to_be() -> None:
    assert "only its beginning" in note(Outcome(total_tools=9, matched=3, restricted=0, cut=True))
