"""What must not be kept in a frozen tool."""

from typing import Any

import pytest

from connectors.curation.secrecy import MAX_VALUE, secrets_in, unfit

OPEN: dict[str, Any] = {"type": "object", "properties": {}}


def objections(values: dict[str, Any], schema: dict[str, Any] = OPEN, own: set[str] | None = None) -> list[str]:
    return [problem.path for problem in unfit("fixed", schema, values, own or set())]


@pytest.mark.parametrize(
    "name", ["token", "password", "client_secret", "api_key", "apiKey", "Authorization", "X-Api-Key", "accessToken"]
)
def test_an_argument_named_like_a_secret_is_refused(name: str) -> None:
    assert objections({name: "anything"}) == [f"/fixed/{name}"]
    assert objections({"headers": {name: "anything"}}) == ["/fixed/headers"]


@pytest.mark.parametrize(
    "values",
    [{"page_token": "abc"}, {"max_tokens": 5}, {"include_password": False}, {"project_key": "ENG"}, {"tokenize": "no"}],
)
def test_what_only_sounds_like_one_is_taken(values: dict[str, Any]) -> None:
    assert objections(values) == []


@pytest.mark.parametrize(
    "schema", [{"type": "string", "format": "password"}, {"type": "string", "writeOnly": True}, {"$ref": "#/$defs/P"}]
)
def test_an_argument_that_the_schema_calls_secret_is_refused(schema: dict[str, Any]) -> None:
    whole = {"type": "object", "properties": {"x": schema}, "$defs": {"P": {"type": "string", "format": "password"}}}
    assert objections({"x": "anything"}, whole) == ["/fixed/x"]


@pytest.mark.parametrize(
    "value",
    [
        "sk_live_" + "a1" * 12,
        "sk-proj-" + "a1" * 20,
        "ghp_" + "a1" * 18,
        "github_pat_" + "a1" * 20,
        "xoxb-" + "1234567890-abc",
        "AKIA" + "A1" * 8,
        "AIza" + "a1" * 18,
        "eyJhbGciOi" + ".eyJzdWIiOiIx" + ".abc",
        "-----BEGIN RSA " + "PRIVATE KEY-----",
        "Bearer " + "a1" * 12,
        "elaichi_" + "a1" * 20,
    ],
)
def test_a_value_that_looks_like_a_key_is_refused_wherever_it_stands(value: str) -> None:
    assert objections({"note": f"use {value}"}) == ["/fixed/note"]
    assert objections({"notes": [{"text": value}]}) == ["/fixed/notes"]


def test_a_value_that_holds_one_of_the_peoples_own_credentials_is_refused() -> None:
    own = secrets_in({"username": "acme-bot", "password": "hunter22", "pin": "1"})
    assert own == {"hunter22"}
    assert objections({"note": "it is hunter22!"}, own=own) == ["/fixed/note"]
    assert objections({"note": "acme-bot 1"}, own=own) == []


def test_a_value_that_is_too_long_is_refused() -> None:
    assert objections({"note": "x" * (MAX_VALUE + 1), "list": ["x" * 30] * 100, "fine": "x" * MAX_VALUE}) == [
        "/fixed/note",
        "/fixed/list",
    ]


def test_no_objection_repeats_the_value() -> None:
    [problem] = unfit("fixed", OPEN, {"password": "hunter22"})
    assert "hunter22" not in problem.reason
