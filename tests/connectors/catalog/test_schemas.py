"""OpenAPI's schemas as a tool's input schema: what is translated, what is dropped, what stays a reference."""

from typing import Any

import jsonschema_rs
import pytest

from connectors.catalog.openapi.keywords import plain_keywords
from tests.connectors.catalog.documents import Node, json_body, query, read, read_one


def _property(schema: Any, **root: Any) -> Any:
    """How a body's property with this schema comes out."""
    body = json_body({"type": "object", "properties": {"it": schema}})
    return read_one({"operationId": "makeTicket", **body}, **root).input_schema["properties"]["it"]


@pytest.mark.parametrize(
    ("openapi", "json_schema"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        (
            {"type": "string", "enum": ["a", "b"], "nullable": True},
            {"type": ["string", "null"], "enum": ["a", "b", None]},
        ),
        (
            {"type": "integer", "minimum": 0, "exclusiveMinimum": True},
            {"type": "integer", "exclusiveMinimum": 0},
        ),
        ({"type": "number", "maximum": 9, "exclusiveMaximum": False}, {"type": "number", "maximum": 9}),
        ({"type": "number", "exclusiveMaximum": 9}, {"type": "number", "exclusiveMaximum": 9}),
        ({"type": "string", "example": "x", "examples": ["y"], "xml": {}, "x-y": 1}, {"type": "string"}),
        ({"type": "string", "format": "date-time"}, {"type": "string", "format": "date-time"}),
        ({"type": "object", "discriminator": {"propertyName": "k"}, "externalDocs": {}}, {"type": "object"}),
        (
            {"oneOf": [{"type": "string"}, {"type": "null"}]},
            {"anyOf": [{"type": "string"}, {"type": "null"}]},
        ),
        ({"allOf": [{"type": "string"}], "description": "d"}, {"type": "string", "description": "d"}),
        (
            {"oneOf": [{"type": "string"}, {"type": "integer"}], "nullable": True},
            {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
        ),
        (
            {"type": "array", "items": [{"type": "string"}, {"type": "integer"}]},
            {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
        ),
        (
            {"type": "object", "additionalProperties": {"type": "string", "nullable": True}},
            {"type": "object", "additionalProperties": {"type": ["string", "null"]}},
        ),
        (
            {"$id": "https://elsewhere.example/x", "$schema": "x", "$anchor": "a", "type": "string"},
            {"type": "string"},
        ),
        ({"type": "string", "enum": [1, True, "x"]}, {"type": "string", "enum": ["1", "true", "x"]}),
        ({"type": "string", "default": 3}, {"type": "string", "default": "3"}),
        ({"type": "string", "default": None}, {"type": "string"}),
        (True, {}),
    ],
)
def test_a_schema_of_openapi_becomes_json_schema(openapi: Any, json_schema: Any) -> None:
    assert _property(openapi) == json_schema


@pytest.mark.parametrize(
    ("nonsense", "kept"),
    [
        ({"type": "any"}, {}),
        ({"type": "String"}, {"type": "string"}),
        ({"type": "file"}, {"type": "string"}),
        ({"type": ["string", "string", "nothing"]}, {"type": "string"}),
        ({"type": {"a": 1}}, {}),
        ({"minLength": "1", "maxLength": -1, "minimum": "0", "multipleOf": 0, "enum": []}, {}),
        ({"pattern": "["}, {}),
        ({"pattern": 3}, {}),
        ({"required": True}, {}),
        ({"title": 3, "description": {}, "uniqueItems": "yes", "dependentRequired": {"a": ["b", "b"]}}, {}),
        ("not a schema", {}),
        (None, {}),
    ],
)
def test_a_keyword_that_makes_no_sense_admits_anything(nonsense: Any, kept: Any) -> None:
    assert _property(nonsense) == kept


def test_a_false_schema_still_admits_nothing() -> None:
    assert _property(False) == {"not": {}}


def test_descriptions_are_plain_text_of_a_bounded_length() -> None:
    described = plain_keywords({"description": "<p>A <b>key</b>.</p>" + " More words." * 200})
    assert described["description"].startswith("A key.\n")
    assert len(described["description"]) <= 500


def test_what_only_responses_hold_is_no_input_and_not_required() -> None:
    tool = read_one(
        json_body(
            {
                "type": "object",
                "required": ["id", "name", "parent"],
                "properties": {
                    "id": {"type": "string", "readOnly": True},
                    "created": {"$ref": "#/components/schemas/Stamp"},
                    "name": {"type": "string"},
                    "parent": {
                        "type": "object",
                        "required": ["id", "kind"],
                        "properties": {"id": {"readOnly": True}, "kind": {"type": "string"}},
                    },
                },
            }
        ),
        components={"schemas": {"Stamp": {"type": "string", "readOnly": True}}},
    )
    assert tool.input_schema == {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "parent": {"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"]},
        },
        "required": ["name", "parent"],
        "additionalProperties": False,
    }


TREE: Node = {
    "Node": {
        "type": "object",
        "properties": {
            "label": {"$ref": "#/components/schemas/Label"},
            "children": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}},
        },
    },
    "Label": {"type": "string", "nullable": True},
    "Unused": {"type": "string"},
}


def test_a_tool_carries_the_definitions_it_reaches_and_recursion_stays() -> None:
    tool = read_one(
        {"parameters": [query("root", {"$ref": "#/components/schemas/Node"})]}, components={"schemas": TREE}
    )
    assert tool.input_schema == {
        "type": "object",
        "properties": {"root": {"$ref": "#/$defs/Node"}},
        "additionalProperties": False,
        "$defs": {
            "Label": {"type": ["string", "null"]},
            "Node": {
                "type": "object",
                "properties": {
                    "label": {"$ref": "#/$defs/Label"},
                    "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
                },
            },
        },
    }
    validator = jsonschema_rs.Draft202012Validator(tool.input_schema)
    assert validator.is_valid({"root": {"children": [{"children": [{"label": None}]}]}})
    assert not validator.is_valid({"root": {"children": [{"children": [{"label": 3}]}]}})


def test_a_reference_to_a_reference_leads_to_its_end() -> None:
    schemas = {"A": {"$ref": "#/components/schemas/B"}, "B": {"type": "integer"}}
    tool = read_one({"parameters": [query("it", {"$ref": "#/components/schemas/A"})]}, components={"schemas": schemas})
    assert tool.input_schema["properties"] == {"it": {"$ref": "#/$defs/B"}}
    assert tool.input_schema["$defs"] == {"B": {"type": "integer"}}


def test_pointers_may_lead_into_lists_and_be_escaped() -> None:
    first = {"parameters": [{"name": "kind", "in": "query", "schema": {"enum": ["a", "b"]}}]}
    second = {"parameters": [query("it", {"$ref": "#/paths/~1things~1%7Bid%7D/get/parameters/0/schema"})]}
    catalog = read({"/things/{id}": {"get": first}, "/other": {"get": second}})
    (definition,) = catalog.tools[1].input_schema["$defs"].values()
    assert definition == {"enum": ["a", "b"]}


def test_names_that_a_reference_cannot_hold_are_replaced_and_do_not_meet() -> None:
    schemas = {"A«B»": {"type": "string"}, "A B": {"type": "integer"}}
    parameters = [query(f"p{n}", {"$ref": f"#/components/schemas/{name}"}) for n, name in enumerate(["A«B»", "A%20B"])]
    tool = read_one({"parameters": parameters}, components={"schemas": schemas})
    assert sorted(str(it) for it in tool.input_schema["$defs"].values()) == [
        "{'type': 'integer'}",
        "{'type': 'string'}",
    ]


@pytest.mark.parametrize(
    "reference",
    [
        "#/components/schemas/Missing",
        "#/components/schemas/Loop",
        "#/components/schemas/Node/properties/label/3",
        "other.yaml#/Thing",
        "https://elsewhere.example/schema.json",
        "file:///etc/passwd",
        "#anchor",
    ],
)
def test_a_reference_that_leads_nowhere_admits_anything_and_is_noted(reference: str) -> None:
    schemas = {**TREE, "Loop": {"$ref": "#/components/schemas/Loop"}}
    catalog = read(
        {"/things": {"get": {"parameters": [query("it", {"$ref": reference})]}}},
        components={"schemas": schemas},
    )
    (tool,) = catalog.tools
    assert tool.input_schema["properties"] == {"it": {}}
    assert catalog.notes == (f"The reference {reference!r} leads to nothing; anything is admitted there.",)


def test_a_description_beside_a_reference_is_kept_and_nullable_too() -> None:
    beside = {
        "$ref": "#/components/schemas/Label",
        "description": "Its label.",
        "nullable": True,
        "type": "integer",
    }
    assert _property(beside, components={"schemas": TREE}) == {
        "anyOf": [{"$ref": "#/$defs/Label"}, {"type": "null"}],
        "description": "Its label.",
    }


def test_openapi_3_1_applies_what_stands_beside_a_reference() -> None:
    beside = {"$ref": "#/components/schemas/Label", "maxLength": 5}
    assert _property(beside, openapi="3.1.0", components={"schemas": TREE}) == {
        "$ref": "#/$defs/Label",
        "maxLength": 5,
    }


def test_a_property_named_ref_is_a_property() -> None:
    assert _property({"type": "object", "properties": {"$ref": {"type": "string"}}}) == {
        "type": "object",
        "properties": {"$ref": {"type": "string"}},
    }


def test_schemas_that_refer_to_each_other_a_million_ways_take_no_time() -> None:
    """Thirty levels of ten references each: written out, more schemas than there are atoms."""
    schemas: Node = {"S30": {"type": "object", "properties": {"end": {"type": "string"}}}}
    for level in range(30):
        parts = [{"$ref": f"#/components/schemas/S{level + 1}"}] * 10
        schemas[f"S{level}"] = {"allOf": parts, "type": "object"}
    tool = read_one(json_body({"$ref": "#/components/schemas/S0"}), components={"schemas": schemas})
    assert tool.input_schema["properties"] == {"end": {"type": "string"}}
    nested = read_one(
        {"parameters": [query("it", {"$ref": "#/components/schemas/S0"})]}, components={"schemas": schemas}
    )
    assert len(nested.input_schema["$defs"]) == 31
