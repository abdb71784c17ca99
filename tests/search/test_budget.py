"""Sharing the room of an answer among its schemas."""

from hypothesis import given
from hypothesis import strategies as st

from search.budget import allowances


def test_what_fits_is_whole() -> None:
    assert allowances([10, 200, 30], 240) == [10, 200, 30]


def test_the_small_ones_stay_whole_and_the_large_ones_share_the_rest_alike() -> None:
    assert allowances([900, 10, 500, 20], 430) == [200, 10, 200, 20]


def test_without_room_nothing_is_given() -> None:
    assert allowances([5, 6], -1) == [0, 0]
    assert allowances([], 100) == []


@given(st.lists(st.integers(min_value=0, max_value=10_000)), st.integers(min_value=0, max_value=50_000))
def test_nobody_has_more_than_they_need_and_together_not_more_than_there_is(sizes: list[int], total: int) -> None:
    bounds = allowances(sizes, total)
    assert all(bound <= size for bound, size in zip(bounds, sizes, strict=True))
    assert sum(bounds) <= total
    # Whoever has less than they need has no less than anybody else, a rounding apart.
    cut = [bound for bound, size in zip(bounds, sizes, strict=True) if bound < size]
    assert not cut or min(cut) >= max(bounds) - len(sizes)
