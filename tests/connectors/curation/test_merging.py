"""One tool for several accounts: how the account is asked for, and that it is never guessed."""

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from accesscontrol.policy import ToolRef
from connectors.curation.advertised import Account, AdvertisedTool, ToolEntry
from connectors.curation.merging import AmbiguousConnection, argument_for, choose, describe, schema_for

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}


def accounts(*labels: str) -> tuple[Account, ...]:
    return tuple(Account(connection_id=uuid4(), label=label) for label in labels)


def tool(*labels: str) -> AdvertisedTool:
    entry = ToolEntry(
        tool_id=uuid4(),
        ref=ToolRef("xero", (), "create_invoice"),
        advertised_name="xero_create_invoice",
        description="Create an invoice.",
        parameters=("title",),
        connection_argument="connection",
        annotations={},
    )
    return AdvertisedTool(name="xero_create_invoice", entry=entry, connector_label="Xero", accounts=accounts(*labels))


def described(description: str, *labels: str) -> str:
    made = tool(*labels)
    return describe(replace(made.entry, description=description), made.accounts)


def test_one_account_leaves_schema_and_description_alone() -> None:
    assert schema_for(tool("Acme"), SCHEMA) is SCHEMA
    assert described("Create an invoice.", "Acme") == "Create an invoice."


def test_several_accounts_are_an_enum_and_a_last_sentence() -> None:
    schema = schema_for(tool("Acme", "Globex", "Hooli"), SCHEMA)
    assert schema["properties"]["connection"]["enum"] == ["Acme", "Globex", "Hooli"]
    assert schema["required"] == ["connection", "title"]
    said = described("Create an invoice.", "Acme", "Globex", "Hooli")
    assert said == "Create an invoice. Set `connection` to one of: Acme, Globex and Hooli."


def test_past_twelve_accounts_an_exact_name_is_asked_for() -> None:
    labels = [f"Company {number}" for number in range(15)]
    choice = schema_for(tool(*labels), SCHEMA)["properties"]["connection"]
    assert "enum" not in choice
    assert "15 accounts" in choice["description"]
    assert described("", *labels).endswith("Company 11 and 3 more.")


def test_the_argument_makes_way_for_one_of_the_tool_s_own() -> None:
    own = {"type": "object", "properties": {"connection": {"type": "string"}}}
    assert argument_for(own) == "account_connection"
    merged = schema_for(tool("Acme", "Globex"), own)
    assert set(merged["properties"]) == {"connection", "account_connection"}


def test_an_account_is_chosen_by_its_label_or_its_id() -> None:
    merged = tool("Acme", "Globex")
    second = merged.accounts[1]
    assert choose(merged, SCHEMA, {"connection": "Globex"}) == second
    assert choose(merged, SCHEMA, {"connection": str(second.connection_id)}) == second
    assert choose(tool("Acme"), SCHEMA, {}).label == "Acme"


@pytest.mark.parametrize(
    ("given", "offered"),
    [
        ({}, ["Acme North", "Acme South", "Globex"]),
        ({"connection": "Acme"}, ["Acme North", "Acme South"]),
        ({"connection": "globex"}, ["Globex"]),
        ({"connection": "Initech"}, ["Acme North", "Acme South", "Globex"]),
        ({"connection": ["Globex"]}, ["Acme North", "Acme South", "Globex"]),
    ],
)
def test_a_missing_or_loose_value_returns_the_accounts_that_match(given: dict[str, Any], offered: list[str]) -> None:
    with pytest.raises(AmbiguousConnection) as refusal:
        choose(tool("Acme North", "Acme South", "Globex"), SCHEMA, given)
    assert refusal.value.help["accounts"] == offered
