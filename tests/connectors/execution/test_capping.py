"""Any JSON value becomes an object of bounded size."""

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connectors.execution.capping import TOO_DEEP, TRUNCATED, Caps, cap

CAPS = Caps(string=5, array=3, object=3, depth=3)
texts = st.text(st.characters(exclude_categories=[]), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(texts, inner, max_size=5),
    max_leaves=30,
)


@pytest.mark.parametrize(
    ("value", "capped"),
    [
        ({"a": "12345"}, {"a": "12345"}),
        ({"a": "123456"}, {TRUNCATED: True, "a": "12345"}),
        ([1, 2, 3], {"result": [1, 2, 3]}),
        ([1, 2, 3, 4], {TRUNCATED: True, "result": [1, 2, 3]}),
        (dict.fromkeys("abcd", 1), {TRUNCATED: True, "a": 1, "b": 1, "c": 1}),
        ({"a": {"b": {"c": 1}}}, {"a": {"b": {"c": 1}}}),
        ({"a": {"b": {"c": []}}}, {TRUNCATED: True, "a": {"b": {"c": TOO_DEEP}}}),
        ([[[1]]], {"result": [[[1]]]}),
        ([[[[]]]], {TRUNCATED: True, "result": [[[TOO_DEEP]]]}),
        ({TRUNCATED: "said the upstream", "a": 1}, {"a": 1}),
        ({}, {}),
    ],
)
def test_each_cap(value: Any, capped: dict[str, Any]) -> None:
    assert list(cap(value, CAPS).items()) == list(capped.items())


def test_the_caps_of_the_design() -> None:
    assert Caps() == Caps(string=32_000, array=200, object=200, depth=8)


@settings(deadline=None)
@given(value=values)
def test_a_result_is_json_within_the_caps_and_flagged_first_where_one_fired(value: Any) -> None:
    result = cap(value, CAPS)
    json.dumps(result, ensure_ascii=False, allow_nan=False).encode()
    flagged = TRUNCATED in result
    assert not flagged or next(iter(result.items())) == (TRUNCATED, True)
    body = {key: item for key, item in result.items() if key != TRUNCATED}
    assert within_caps(body if isinstance(value, dict) else body["result"], CAPS.depth)


@settings(deadline=None)
@given(value=values)
def test_what_fits_comes_back_as_it_was(value: Any) -> None:
    result = cap(value, Caps(string=100, array=100, object=100, depth=100))
    expected = value if isinstance(value, dict) else {"result": value}
    if json_clean(expected):
        assert result == expected


def within_caps(value: Any, levels: int) -> bool:
    match value:
        case dict():
            sizes = levels > 0 and len(value) <= CAPS.object
            return sizes and all(len(key) <= CAPS.string and within_caps(v, levels - 1) for key, v in value.items())
        case list():
            return levels > 0 and len(value) <= CAPS.array and all(within_caps(v, levels - 1) for v in value)
        case str():
            return len(value) <= CAPS.string or value == TOO_DEEP
        case _:
            return True


def json_clean(value: Any) -> bool:
    """Whether it holds neither numbers nor texts that JSON can't carry."""
    match value:
        case dict():
            return all(json_clean(key) and json_clean(item) for key, item in value.items())
        case list():
            return all(map(json_clean, value))
        case str():
            return not any("\ud800" <= char <= "\udfff" for char in value)
        case float():
            return math.isfinite(value)
        case _:
            return True
