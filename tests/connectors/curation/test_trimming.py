"""Schemas over 8 KiB: cut, marked, and with everything that a call must give."""

import json
from typing import Any

import jsonschema_rs
from hypothesis import given
from hypothesis import strategies as st

from connectors.curation.trimming import MARK, MAX_BYTES, trimmed


def size(schema: dict[str, Any]) -> int:
    return len(json.dumps(schema, ensure_ascii=False, separators=(",", ":")).encode())


def wide(properties: int, *, required: list[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {f"p{n}": {"type": "string", "description": "words " * 30} for n in range(properties)},
        "required": required,
    }


def test_a_small_schema_is_left_alone() -> None:
    schema = wide(3, required=["p1"])
    assert trimmed(schema) is schema


def test_a_large_schema_is_cut_and_marked_and_keeps_what_is_required() -> None:
    cut = trimmed(wide(300, required=["p7", "p299"]))
    assert size(cut) <= MAX_BYTES
    assert cut[MARK] is True
    assert {"p7", "p299"} <= set(cut["properties"])
    assert cut["required"] == ["p7", "p299"]


def test_optional_properties_stay_while_they_fit() -> None:
    cut = trimmed(wide(60, required=[]))
    assert len(cut["properties"]) == 60


def test_a_recursive_schema_ends() -> None:
    node = {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}}
    schema = {
        "type": "object",
        "$defs": {"Node": node, "Loop": {"$ref": "#/$defs/Loop"}},
        "properties": {
            "root": {"$ref": "#/$defs/Node"},
            "loop": {"$ref": "#/$defs/Loop"},
            **wide(80, required=[])["properties"],
        },
        "required": ["root"],
    }
    cut = trimmed(schema)
    assert "root" in cut["properties"]
    assert "$defs" not in cut


@given(
    names=st.lists(st.text("abcdefgh", min_size=1, max_size=8), min_size=1, max_size=40, unique=True),
    text=st.integers(0, 400),
    data=st.data(),
)
def test_every_cut_compiles_and_names_every_required_property(names: list[str], text: int, data: st.DataObject) -> None:
    required = data.draw(st.lists(st.sampled_from(names), unique=True))
    nested = {"type": "object", "properties": {name: {"type": "string", "description": "x" * text} for name in names}}
    schema = {
        "type": "object",
        "properties": {name: {**nested, "required": required} for name in names},
        "required": required,
    }
    cut = trimmed(schema)
    jsonschema_rs.Draft202012Validator(cut)
    assert set(required) <= set(cut["properties"])
    assert cut == schema or (cut[MARK] and size(cut) <= MAX_BYTES)
