"""Arguments against a schema: told by path and rule, never by value."""

import time
from pathlib import Path
from typing import Any

import pytest

from accesscontrol.exceptions import Problem
from connectors.execution.errors import UnusableTool
from connectors.execution.validation import validate
from tests.connectors.execution.upstream import Server

CANARY = "canary-value"


def told(schema: dict[str, Any], arguments: dict[str, Any]) -> list[tuple[str, str]]:
    return [(problem.path, problem.reason) for problem in validate(schema, arguments)]


def test_arguments_that_fit_give_no_problem() -> None:
    schema = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
    assert validate(schema, {"id": 3}) == []


@pytest.mark.parametrize(
    ("rule", "value", "reason"),
    [
        ({"type": "integer"}, CANARY, "must be integer"),
        ({"type": ["integer", "null"]}, CANARY, "must be integer or null"),
        ({"enum": ["open", "shut"]}, CANARY, 'must be one of "open", "shut"'),
        ({"const": "open"}, CANARY, 'must be "open"'),
        ({"format": "date"}, CANARY, "must be a valid date"),
        ({"pattern": "^[0-9]+$"}, CANARY, "must match the pattern ^[0-9]+$"),
        ({"maxLength": 3}, CANARY, "must have at most 3 characters"),
        ({"minimum": 5}, 3, "must be at least 5"),
        ({"exclusiveMaximum": 5}, 7, "must be less than 5"),
        ({"multipleOf": 2}, 3, "must be a multiple of 2"),
        ({"minItems": 2}, [CANARY], "must have at least 2 items"),
        ({"uniqueItems": True}, [CANARY, CANARY], "must not repeat an item"),
        ({"not": {"type": "string"}}, CANARY, "breaks the rule not of the tool's schema"),
        ({"anyOf": [{"type": "integer"}, {"type": "boolean"}]}, CANARY, "must be boolean or integer"),
        ({"contains": {"const": 1}}, [CANARY], "breaks the rule contains of the tool's schema"),
        (False, CANARY, "is not allowed here"),
    ],
)
def test_a_problem_names_the_rule_and_not_the_value(rule: Any, value: Any, reason: str) -> None:
    assert told({"properties": {"a": rule}}, {"a": value}) == [("/a", reason)]


def test_of_alternatives_the_problems_of_the_closest_are_told() -> None:
    by_id = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
    by_filter = {
        "type": "object",
        "properties": {"filter": {"type": "object", "properties": {"limit": {"maximum": 10}}}},
        "required": ["filter"],
    }
    schema = {"properties": {"q": {"oneOf": [by_id, by_filter]}}}
    assert told(schema, {"q": {"filter": {"limit": 50}}}) == [("/q/filter/limit", "must be at most 10")]
    assert told(schema, {"q": 5}) == [("/q", "must be object")]


def test_missing_and_unknown_arguments_are_named_with_what_was_meant() -> None:
    schema = {
        "type": "object",
        "properties": {"page_id": {"type": "string"}},
        "required": ["page_id"],
        "additionalProperties": False,
    }
    assert sorted(told(schema, {"pageid": CANARY, "zzz": 1})) == [
        ("/page_id", "is required"),
        ("/pageid", "is not a known argument; did you mean page_id?"),
        ("/zzz", "is not a known argument"),
    ]


def test_paths_are_json_pointers() -> None:
    schema = {"properties": {"a/b~c": {"items": {"type": "integer"}}}}
    assert told(schema, {"a/b~c": [1, CANARY]}) == [("/a~1b~0c/1", "must be integer")]


def test_at_most_ten_problems_are_told_and_options_are_cut() -> None:
    items = {"type": "array", "items": {"enum": [f"option {n}" for n in range(50)]}}
    problems = validate({"properties": {"a": items}}, {"a": [CANARY] * 1000})
    assert len(problems) == 10
    assert problems[0].reason.endswith('"option 19" and 30 more')


@pytest.mark.parametrize("reference", ["/x.json", "file:///etc/hostname", "x.json"])
def test_a_schema_refers_to_nothing_outside_itself(upstream: Server, reference: str) -> None:
    url = upstream.url + reference if reference.startswith("/") else reference
    with pytest.raises(UnusableTool):
        validate({"properties": {"a": {"$ref": url}}}, {"a": 1})
    assert upstream.received == []


def test_local_references_work() -> None:
    schema = {"$defs": {"Id": {"type": "integer"}}, "properties": {"a": {"$ref": "#/$defs/Id"}}}
    assert told(schema, {"a": CANARY}) == [("/a", "must be integer")]


@pytest.mark.parametrize("schema", [{"type": "nonsense"}, {"pattern": "(["}, {"$ref": "#/$defs/none"}])
def test_a_broken_schema_is_a_refusal_that_says_what_to_do(schema: dict[str, Any]) -> None:
    with pytest.raises(UnusableTool, match="Ask an administrator"):
        validate(schema, {})


@pytest.mark.parametrize("name", ["uri", "hostname", "time", "duration", "int32", "byte", "made-up"])
def test_formats_that_catalogs_use_loosely_are_not_asserted(name: str) -> None:
    assert validate({"properties": {"a": {"format": name}}}, {"a": "not quite ]]"}) == []


def test_a_pattern_cannot_blow_up() -> None:
    started = time.monotonic()
    assert validate({"properties": {"a": {"pattern": "^(a+)+$"}}}, {"a": "a" * 5000 + "!"})
    assert time.monotonic() - started < 1


def _nested(levels: int) -> Any:
    value: Any = CANARY
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800", {"\udfff": 1}, _nested(65), _nested(5000)])
def test_what_no_request_can_carry_is_a_problem(value: Any) -> None:
    [problem] = validate({}, {"a": value})
    assert problem.path == ""


def test_deep_but_sane_arguments_fit() -> None:
    assert validate({}, {"a": _nested(60), "b": 10**400}) == []


def test_a_problem_never_holds_a_value(tmp_path: Path) -> None:
    schema = {"properties": {"a": {"type": "object", "additionalProperties": {"enum": ["x"]}}}}
    problems: list[Problem] = validate(schema, {"a": {"key": CANARY}})
    assert problems
    assert CANARY not in str(problems)
