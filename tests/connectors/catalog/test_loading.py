"""From bytes to plain values: what any text may do, and what it may not."""

import json
from itertools import pairwise

import pytest

from connectors.catalog.document import CatalogError
from connectors.catalog.openapi import loading
from connectors.catalog.openapi.loading import load_document


def test_json_and_yaml_of_one_document_read_alike() -> None:
    assert load_document(b'{"openapi": "3.0.0", "paths": {}}') == load_document(b"openapi: 3.0.0\npaths: {}\n")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32-le"])
def test_any_unicode_encoding_is_read(encoding: str) -> None:
    assert load_document('{"title": "Zürich"}'.encode(encoding)) == {"title": "Zürich"}


def test_integer_status_keys_become_text() -> None:
    assert load_document(b"responses:\n  200: {}\n  null: {}\n") == {"responses": {"200": {}, "null": {}}}


def test_dates_times_and_countries_stay_text() -> None:
    text = b"enum: [2024-08-13, 2021-01-01T25:00:00Z, no, on, Y, 12:30, 007, 1_000, =]\n"
    values = ["2024-08-13", "2021-01-01T25:00:00Z", "no", "on", "Y", "12:30", "007", "1_000", "="]
    assert load_document(text) == {"enum": values}


def test_booleans_nulls_and_numbers_are_read_as_in_json() -> None:
    assert load_document(b"v: [true, False, null, ~, 12, -3, 1.5, 1e3, 2.0]\n") == {
        "v": [True, False, None, None, 12, -3, 1.5, 1000, 2]
    }


def test_numbers_that_json_cannot_hold_become_null() -> None:
    assert load_document(b"v: [.inf, -.inf, .nan]\n") == {"v": [None, None, None]}
    assert load_document(b'{"v": [NaN, Infinity, 1e999]}') == {"v": [None, None, None]}


def test_text_that_postgresql_cannot_store_is_cleaned() -> None:
    assert load_document(b'{"a\\u0000b": "c\\u0000d", "e": "\\ud800!"}') == {"ab": "cd", "e": "?!"}


def test_whole_floats_are_the_integers_that_postgresql_gives_back() -> None:
    document = load_document(b'{"maximum": 1e22, "minimum": -0.0}')
    assert json.dumps(document) == '{"maximum": 10000000000000000000000, "minimum": 0}'


def test_an_alias_is_its_anchor_s_copy_and_merge_keys_merge() -> None:
    text = b"a: &a {x: 1}\nb: *a\nc: {<<: *a, y: 2}\n"
    assert load_document(text) == {"a": {"x": 1}, "b": {"x": 1}, "c": {"x": 1, "y": 2}}


def _bomb(line: str) -> bytes:
    """Each line holds the one before ten times: 10^9 values in under a kilobyte."""
    names = "abcdefghij"
    lines = [f"{names[0]}: &{names[0]} {{k0: x}}"]
    lines += [line.format(name=after, refs=", ".join([f"*{name}"] * 10)) for name, after in pairwise(names)]
    return "\n".join(lines).encode()


@pytest.mark.parametrize("line", ["{name}: &{name} [{refs}]", "{name}: &{name} {{<<: [{refs}], {name}: 1}}"])
def test_a_bomb_of_aliases_or_merge_keys_is_one_clear_error(line: str) -> None:
    with pytest.raises(CatalogError, match="more than 2,000,000 values once its aliases"):
        load_document(_bomb(line))


def test_a_document_that_holds_itself_is_one_clear_error() -> None:
    with pytest.raises(CatalogError, match="holds itself: the alias at line 1"):
        load_document(b"a: &a [1, *a]\n")


@pytest.mark.parametrize(
    "data",
    [
        b'{"a": ' * 100_000,
        b'{"a": ' * 500 + b"1" + b"}" * 500,
        b"a: " + b"[" * 100_000,
        b"a: " + b"[" * 500 + b"]" * 500,
        b"".join(b" " * depth + b"a:\n" for depth in range(2000)),
    ],
    ids=["open json", "deep json", "open yaml", "deep yaml", "deep yaml blocks"],
)
def test_a_document_nested_too_deeply_is_one_clear_error(data: bytes) -> None:
    with pytest.raises(CatalogError, match=r"nested more than|maximum nesting depth|not valid JSON"):
        load_document(data)


@pytest.mark.parametrize("data", [b'{"a": [' + b"1," * 2000 + b"1]}", b"a:\n" + b"- 1\n" * 2000])
def test_a_document_with_too_many_values_is_refused(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(loading, "MAX_NODES", 1000)
    with pytest.raises(CatalogError, match=r"more than 1,000 values\.$"):
        load_document(data)


def test_a_long_text_full_of_signs_is_no_heap_of_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "MAX_NODES", 1000)
    assert load_document(b"a: " + b"x-,?[" * 2000) == {"a": "x-,?[" * 2000}


def test_a_document_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "MAX_BYTES", 1024 * 1024)
    with pytest.raises(CatalogError, match="larger than 1 MiB"):
        load_document(b" " * (1024 * 1024 + 1))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a mapping"),
        (b"[1, 2]", "not a mapping"),
        (b"<html><body>Sign in</body></html>", "not a mapping"),
        (b'{"openapi": ', r"not valid JSON: .*line 1 column 13"),
        (b"a: [1\nb: 2\n", r"not valid YAML: .*line 2, column 2"),
        (b"a: !!python/object:os.system x\n", "not valid YAML: could not determine a constructor"),
        (b"{{name}}: x\n", "not valid JSON"),
        (b"\xff\xfe\xfa\x00\xd8", "is not utf-16"),
        (b'{"a": ' + b"1" * 5000 + b"}", "not valid JSON"),
    ],
)
def test_what_is_no_document_is_one_clear_line(data: bytes, message: str) -> None:
    with pytest.raises(CatalogError, match=message) as raised:
        load_document(data)
    assert "\n" not in str(raised.value)
