"""Accounts of equal labels are told apart, only where needed and the same way whatever their order."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from connectors.curation.labels import LabelledAccount, distinct_labels


def account(number: int, label: str, remote: str = "", owner: str = "bob@x.example") -> LabelledAccount:
    return LabelledAccount(connection_id=UUID(int=number), label=label, remote_account=remote, owner=owner)


def names(*accounts: LabelledAccount) -> list[str]:
    return distinct_labels(accounts)


def test_a_label_of_one_account_stays_as_it_is() -> None:
    assert names() == []
    assert names(account(1, "Acme", "acme-gmbh"), account(2, "Globex", "globex")) == ["Acme", "Globex"]


def test_equal_labels_are_told_apart_by_the_remote_account_and_others_stay() -> None:
    found = names(account(1, "Acme", "books"), account(2, "Acme", "sales", "bea@x.example"), account(3, "Globex", "g"))
    assert found == ["Acme (books)", "Acme (sales)", "Globex"]


def test_where_that_is_the_same_too_the_owner_tells() -> None:
    found = names(
        account(1, "Acme", "books"), account(2, "Acme", "books", "bea@x.example"), account(3, "Acme", "sales", "cid@x")
    )
    assert found == ["Acme (bob@x.example)", "Acme (bea@x.example)", "Acme (sales)"]


def test_where_the_remote_account_is_not_known_the_owner_tells() -> None:
    assert names(account(1, "Main"), account(2, "Main", "x", "bea@x.example")) == ["Main (bob@x.example)", "Main (x)"]


def test_a_label_written_to_look_like_another_s_name_does_not_get_it() -> None:
    found = names(
        account(1, "Acme", "books"),
        account(2, "Acme", "sales", "bea@x.example"),
        account(3, "Acme (books)", "forged", "eve@x.example"),
    )
    assert found == ["Acme (bob@x.example)", "Acme (sales)", "Acme (books) (forged)"]


def test_a_remote_account_that_is_another_owner_s_address_does_not_get_their_name() -> None:
    found = names(account(1, "Acme", "", "bob@x.example"), account(2, "Acme", "bob@x.example", "eve@x.example"))
    assert found == ["Acme (bob@x.example)", "Acme (eve@x.example)"]


_few = st.sampled_from(["", "a", "b", "a (b)", "a (a)", "b (a, b)", str(UUID(int=1)), f"a ({UUID(int=0)})"])


@given(st.lists(st.tuples(_few, _few, _few), max_size=8), st.randoms(use_true_random=False))
def test_no_two_accounts_ever_have_one_name_and_the_order_does_not_matter(
    drawn: list[tuple[str, str, str]], random: object
) -> None:
    accounts = [account(number, *parts) for number, parts in enumerate(drawn)]
    found = dict(zip(accounts, distinct_labels(accounts), strict=True))
    assert len(set(found.values())) == len(accounts)
    shuffled = accounts[:]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert dict(zip(shuffled, distinct_labels(shuffled), strict=True)) == found


@given(st.lists(_few, unique=True, max_size=8))
def test_different_labels_are_never_touched(labels: list[str]) -> None:
    assert distinct_labels([account(number, label) for number, label in enumerate(labels)]) == labels
