"""Arguments set beforehand: what is still advertised, what is sent, and what cannot be saved."""

from copy import deepcopy
from typing import Any

import pytest

from connectors.curation.freezing import check, frozen, merged, refused
from connectors.execution.validation import validate

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "project": {"type": "string", "maxLength": 10},
        "limit": {"type": "integer"},
        "fields": {"$ref": "#/$defs/Fields"},
        "other": {"$ref": "#/$defs/Fields"},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    },
    "required": ["project", "fields"],
    "additionalProperties": False,
    "$defs": {
        "Fields": {
            "type": "object",
            "properties": {"kind": {"$ref": "#/$defs/Kind"}, "title": {"type": "string"}},
            "required": ["kind", "title"],
        },
        "Kind": {"type": "object", "properties": {"name": {"enum": ["Bug", "Task"]}}, "required": ["name"]},
    },
}


def paths(problems: list[Any]) -> list[str]:
    return [problem.path for problem in problems]


@pytest.mark.requirement("S17")
def test_a_fixed_argument_leaves_the_schema_and_what_it_requires() -> None:
    shown = frozen(SCHEMA, {"project": "ENG"}, {})
    assert set(shown["properties"]) == {"limit", "fields", "other", "labels"}
    assert shown["required"] == ["fields"]


@pytest.mark.requirement("S17")
def test_a_nested_member_leaves_its_object_and_no_other_user_of_the_same_definition_notices() -> None:
    before = deepcopy(SCHEMA)
    shown = frozen(SCHEMA, {"fields": {"title": "Report"}}, {})
    assert shown["properties"]["fields"] == {
        "type": "object",
        "properties": {"kind": {"$ref": "#/$defs/Kind"}},
        "required": ["kind"],
    }
    assert shown["properties"]["other"] == {"$ref": "#/$defs/Fields"}
    assert shown["$defs"] == SCHEMA["$defs"]
    assert before == SCHEMA


@pytest.mark.requirement("S17")
def test_an_object_whose_every_member_is_fixed_disappears() -> None:
    fixed = {"fields": {"kind": {"name": "Bug"}, "title": "Report"}}
    shown = frozen(SCHEMA, fixed, {})
    assert "fields" not in shown["properties"]
    assert shown["required"] == ["project"]
    assert "kind" not in frozen(SCHEMA, {"fields": {"kind": {"name": "Bug"}}}, {})["properties"]["fields"]["properties"]


def test_an_object_that_asks_for_nothing_more_need_not_be_given() -> None:
    schema = {
        "type": "object",
        "properties": {
            "page": {
                "type": "object",
                "properties": {"parent": {"type": "string"}, "icon": {"type": "string"}},
                "required": ["parent"],
            }
        },
        "required": ["page"],
    }
    assert "required" not in frozen(schema, {"page": {"parent": "home"}}, {})
    assert "required" not in frozen(schema, {}, {"page": {"parent": "home"}})
    assert frozen(schema, {"page": {"icon": "x"}}, {})["required"] == ["page"]


def test_a_default_stays_says_its_value_and_is_required_no_longer() -> None:
    shown = frozen(SCHEMA, {}, {"project": "ENG", "fields": {"kind": {"name": "Bug"}}})
    assert shown["properties"]["project"] == {"type": "string", "maxLength": 10, "default": "ENG"}
    assert shown["required"] == ["fields"]
    fields = shown["properties"]["fields"]
    assert fields["required"] == ["title"]
    assert fields["properties"]["kind"]["properties"]["name"] == {"enum": ["Bug", "Task"], "default": "Bug"}
    assert shown["properties"]["other"] == {"$ref": "#/$defs/Fields"}


@pytest.mark.requirement("S17")
def test_frozen_goes_over_given_over_default_at_every_depth() -> None:
    sent = merged(
        {"limit": 5, "fields": {"title": "Given", "kind": {"name": "Task"}}},
        {"fields": {"kind": {"name": "Bug"}}},
        {"limit": 10, "project": "ENG", "fields": {"title": "Default", "note": "x"}},
    )
    assert sent == {
        "limit": 5,
        "project": "ENG",
        "fields": {"title": "Given", "note": "x", "kind": {"name": "Bug"}},
    }


@pytest.mark.requirement("S17")
@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"project": "OPS"}, ["/project"]),
        ({"project": "ENG"}, ["/project"]),
        ({"fields": {"kind": {"name": "Bug"}, "title": "x"}}, ["/fields/kind"]),
        ({"fields": {"kind": None}}, ["/fields/kind"]),
        ({"labels": {"more": "x"}}, ["/labels"]),
        ({"fields": {"title": "x"}, "limit": 1}, []),
    ],
)
def test_sending_a_fixed_argument_is_refused_by_its_path_even_with_the_same_value(
    arguments: dict[str, Any], found: list[str]
) -> None:
    fixed = {"project": "ENG", "fields": {"kind": {"name": "Bug"}}, "labels": {"team": "a"}}
    assert paths(refused(SCHEMA, arguments, fixed)) == found


def test_values_that_fit_can_be_saved() -> None:
    assert check(SCHEMA, {"project": "ENG", "fields": {"kind": {"name": "Bug"}}}, {"fields": {"title": "x"}}) == []


@pytest.mark.parametrize(
    ("fixed", "defaults", "found"),
    [
        ({"projct": "ENG"}, {}, ["/fixed/projct"]),
        ({"fields": {"colour": "red"}}, {}, ["/fixed/fields/colour"]),
        ({}, {"fields": {"kind": {"nme": "Bug"}}}, ["/defaults/fields/kind/nme"]),
        ({"project": 5}, {}, ["/fixed/project"]),
        ({"project": "far too long"}, {}, ["/fixed/project"]),
        ({"fields": {"kind": {"name": "Epic"}}}, {}, ["/fixed/fields/kind/name"]),
        ({"labels": {"a": 1}}, {}, ["/fixed/labels/a"]),
        ({"project": "ENG"}, {"project": "OPS"}, ["/defaults/project"]),
        ({"labels": {"a": "x"}}, {"labels": {"b": "y"}}, ["/defaults/labels"]),
        ({"fields": {"kind": {"name": "Bug"}}}, {"fields": {"kind": {"name": "Task"}}}, ["/defaults/fields/kind"]),
    ],
)
def test_what_cannot_be_saved_is_named_by_its_path(
    fixed: dict[str, Any], defaults: dict[str, Any], found: list[str]
) -> None:
    assert paths(check(SCHEMA, fixed, defaults)) == found


PARTS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "task": {
            "allOf": [
                {"$ref": "#/$defs/Base"},
                {"type": "object", "properties": {"due": {"type": "string"}}, "required": ["due", "owner"]},
            ]
        },
        "parent": {"anyOf": [{"$ref": "#/$defs/Base"}, {"type": "null"}]},
    },
    "anyOf": [{"required": ["task"]}, {"required": ["parent"]}],
    "$defs": {"Base": {"type": "object", "properties": {"owner": {"type": "string"}, "n": {"type": "integer"}}}},
}


class TestParts:
    """Members that a schema declares in parts."""

    def test_of_all(self) -> None:
        shown = frozen(PARTS, {"task": {"owner": "bob"}}, {})
        assert validate(shown, {"task": {"due": "now"}}) == []
        assert "owner" not in shown["properties"]["task"]["allOf"][0]["properties"]
        assert shown["$defs"] == PARTS["$defs"]

    def test_of_a_choice_only_those_are_left_that_can_hold_what_is_fixed(self) -> None:
        shown = frozen(PARTS, {"parent": {"owner": "bob"}}, {})
        assert shown["properties"]["parent"] == {"type": "object", "properties": {"n": {"type": "integer"}}}
        assert validate(shown, {}) == []
        assert check(PARTS, {"parent": {"owner": 5}}, {})[0].path == "/fixed/parent/owner"

    def test_what_told_choices_apart_does_not_make_a_call_ambiguous(self) -> None:
        kinds = [{"properties": {"kind": {"const": kind}, "name": {"type": "string"}}} for kind in "ab"]
        schema = {"type": "object", "oneOf": kinds}
        assert validate(frozen(schema, {"kind": "a"}, {}), {"name": "x"}) == []

    def test_a_rule_that_a_fixed_member_would_twist_is_left_to_the_whole_schema(self) -> None:
        schema = {
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "dependentRequired": {"b": ["a"]},
            "minProperties": 2,
        }
        assert validate(frozen(schema, {"a": "x"}, {}), {"b": "y"}) == []

    def test_a_member_that_another_refers_to_can_be_fixed(self) -> None:
        schema = {
            "type": "object",
            "properties": {"from": {"type": "string", "maxLength": 3}, "to": {"$ref": "#/properties/from"}},
            "required": ["from", "to"],
            "additionalProperties": False,
        }
        shown = frozen(schema, {"from": "A"}, {})
        assert (set(shown["properties"]), shown["required"]) == ({"to"}, ["to"])
        assert validate(shown, {"to": "B"}) == []
        assert [problem.path for problem in validate(shown, {"to": "much too long"})] == ["/to"]
        assert check(schema, {"to": "much too long"}, {})[0].path == "/fixed/to"

    def test_a_schema_that_holds_itself_comes_to_an_end(self) -> None:
        schema: dict[str, Any] = {
            "type": "object",
            "properties": {"filter": {"$ref": "#/$defs/Filter"}},
            "$defs": {
                "Filter": {
                    "type": "object",
                    "properties": {"name": {"type": "string"}, "inner": {"$ref": "#/$defs/Filter"}},
                    "allOf": [{"$ref": "#/$defs/Filter"}],
                }
            },
        }
        fixed = {"filter": {"inner": {"name": "x"}}}
        assert check(schema, fixed, {}) == []
        inner = frozen({**schema, "$defs": {"Filter": {**schema["$defs"]["Filter"], "allOf": []}}}, fixed, {})
        assert set(inner["properties"]["filter"]["properties"]["inner"]["properties"]) == {"inner"}
