"""Real vendors' documents, where a copy of them lies beside the checkout: all of them import, nearly whole."""

import json
import re
from functools import partial
from time import perf_counter
from typing import Any
from urllib.parse import parse_qsl

import jsonschema_rs
import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from accesscontrol.models import Organization, Surface
from connectors.auth_scheme import AuthKind
from connectors.catalog.importer import import_catalog
from connectors.catalog.openapi import read_openapi
from connectors.curation.names import advertised_name
from connectors.execution.arguments import bind
from connectors.execution.outgoing_file import OutgoingFile
from connectors.models import Tool
from tests.connectors.catalog.documents import http
from tests.connectors.generated import arguments, in_headers
from tests.connectors.real_catalogs import FOLDER, MARKS, OPERATIONS, read

pytestmark = MARKS


# An id of exactly 24 characters of a pattern, among other things.
_NOT_GENERATED = {"intercom.yaml create_conversation"}


def _refuse(uri: str) -> Any:
    raise ValueError(uri)


@pytest.mark.parametrize("name", OPERATIONS)
def test_nearly_every_operation_becomes_a_tool_and_the_rest_is_named(name: str) -> None:
    catalog = read(name)
    assert len(catalog.tools) + len(catalog.skipped) == OPERATIONS[name]
    assert len(catalog.tools) >= 0.99 * OPERATIONS[name], catalog.skipped
    assert all(it.operation and it.reason for it in catalog.skipped)


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_schema_compiles_and_is_one_that_clients_accept(name: str) -> None:
    for tool in read(name).tools:
        jsonschema_rs.Draft202012Validator(tool.input_schema, retriever=_refuse)
        assert tool.input_schema["type"] == "object"
        assert not {"$schema", "anyOf", "oneOf", "allOf"} & set(tool.input_schema)
        assert all(re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", key) for key in tool.input_schema["properties"])
        assert set(tool.input_schema.get("required", ())) <= set(tool.input_schema["properties"])


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_binding_sends_every_argument_and_nothing_else(name: str) -> None:
    for tool in read(name).tools:
        bound = [it.argument for it in http(tool).parameters]
        if body := http(tool).body:
            bound += [body.argument] if body.argument else [argument for argument, _ in body.properties]
        assert sorted(bound) == sorted(tool.input_schema["properties"])
        placeholders = set(re.findall(r"\{([^{}/]+)\}", http(tool).path))
        assert placeholders == {it.name for it in http(tool).parameters if it.location == "path"}


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_tool_can_be_called_whatever_its_body_is(name: str) -> None:
    file = OutgoingFile(name="scan.png", media_type="image/png", content=b"\x89PNG")
    for tool in read(name).tools:
        if f"{name} {tool.name}" not in _NOT_GENERATED:
            bind(http(tool), arguments(tool.input_schema, 1, ascii_only=in_headers(http(tool))), files=lambda _: file)


@pytest.mark.parametrize("name", OPERATIONS)
def test_names_are_unique_short_and_plain(name: str) -> None:
    tools = read(name).tools
    slug = name.partition(".")[0]
    advertised = {advertised_name(slug, tool.name) for tool in tools}
    assert len(advertised) == len(tools)
    assert all(re.fullmatch(r"[a-z0-9_]{1,60}", it) for it in advertised)


def test_slack_asks_nobody_for_the_token_that_the_account_brings() -> None:
    catalog = read("slack.json")
    assert catalog.base_url == "https://slack.com/api"
    assert [it.kind for it in catalog.auth_schemes] == [AuthKind.OAUTH2, AuthKind.BEARER]
    assert not any("token" in tool.input_schema["properties"] for tool in catalog.tools)


def test_slack_is_read_and_stored_whole_within_five_seconds(acme: Organization) -> None:
    started = perf_counter()
    catalog = read_openapi((FOLDER / "slack.json").read_bytes(), source="slack.json")
    report = import_catalog(organization=acme, catalog=catalog, slug="slack", label="Slack", surface=Surface.SYSTEM)
    assert len(report.added) == 174
    assert perf_counter() - started < 5


_VALUES = {
    "string": st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    "boolean": st.booleans(),
    "integer": st.integers(-(2**53), 2**53),
    "number": st.integers(-(2**53), 2**53),
}


@given(data=st.data())
def test_a_call_to_slack_sends_its_arguments_as_a_form(data: st.DataObject) -> None:
    posts = [tool for tool in read("slack.json").tools if http(tool).body]
    tool = data.draw(st.sampled_from(posts))
    body = http(tool).body
    assert body
    properties = tool.input_schema["properties"]
    required = tool.input_schema.get("required", ())
    values = {name: _VALUES[schema["type"]] for name, schema in properties.items()}
    optional = {name: values[name] for name in values if name not in required}
    arguments = data.draw(st.fixed_dictionaries({name: values[name] for name in required}, optional=optional))
    jsonschema_rs.validate(tool.input_schema, arguments)
    sent = bind(http(tool), arguments)
    expected = {name: it if isinstance(it, str) else json.dumps(it) for name, it in arguments.items()}
    assert sent.query == ()
    assert parse_qsl((sent.content or b"").decode(), keep_blank_values=True, strict_parsing=bool(expected)) == [
        (wire, expected[name]) for name, wire in body.properties if name in expected
    ]
    assert sent.media_type == ("application/x-www-form-urlencoded" if expected else "")


def test_every_call_to_notion_sends_its_version() -> None:
    tools = read("notion.json").tools
    assert all(dict(http(tool).headers).keys() == {"Notion-Version"} for tool in tools if http(tool).headers)
    assert sum(bool(http(tool).headers) for tool in tools) == 23
    assert not any("Notion-Version" in tool.input_schema["properties"] for tool in tools)


def test_a_recursive_document_of_a_megabyte_stays_small_in_the_database(acme: Organization) -> None:
    """Xero's accounting API; with every reference written out it would be 71 MB."""
    catalog = read("xero.accounting.yaml")
    bring_in = partial(
        import_catalog, organization=acme, catalog=catalog, slug="xero", label="Xero", surface=Surface.SYSTEM
    )
    assert len(bring_in().added) == 235
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_total_relation_size(%s)", [Tool._meta.db_table])
        assert cursor.fetchone()[0] < 4 * 1024 * 1024
    assert len(bring_in().unchanged) == 235
