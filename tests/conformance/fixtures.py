"""What the conformance suite expects a server under test to have: its tools, prompts and resources, by its own names.

They are registered in a web process of the tests alone; see `tests/conformance/wsgi.py`.
"""

import json
from base64 import b64decode
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from accesscontrol.caller import Caller
from search.mcp import tools
from search.mcp.prompts import Message, Prompt, PromptArgument, prompts
from search.mcp.resources import Contents, Resource, resources
from search.mcp.results import ToolResult

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA=="

type Block = dict[str, Any]


def text(of: str) -> Block:
    return {"type": "text", "text": of}


def embedded(uri: str, media_type: str, of: str) -> Block:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": media_type, "text": of}}


IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": WAV, "mimeType": "audio/wav"}
CONTENT: dict[str, list[Block]] = {
    "test_simple_text": [text("This is a simple text response for testing.")],
    "test_image_content": [IMAGE],
    "test_audio_content": [AUDIO],
    "test_embedded_resource": [
        embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ],
    "test_multiple_content_types": [
        text("Multiple content types test:"),
        IMAGE,
        embedded("test://mixed-content-resource", "application/json", json.dumps({"test": "data", "value": 123})),
    ],
    "test_error_handling": [text("This tool intentionally returns an error for testing")],
    "test_logging_tool": [text("Nothing was logged to the client.")],
    "test_x_mcp_header": [text("The header said what the body said.")],
    "json_schema_2020_12_tool": [text("Valid.")],
}
NO_ARGUMENTS: dict[str, Any] = {"type": "object", "properties": {}}
SCHEMAS: dict[str, dict[str, Any]] = {
    "test_x_mcp_header": {
        "type": "object",
        "properties": {"region": {"type": "string", "x-mcp-header": "Region"}},
        "required": ["region"],
    },
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": False,
    },
}


class Fixtures:
    """The suite's tools, as one more source of tools/list."""

    def definitions(self, caller: Caller) -> Iterable[tools.Definition]:
        for name in CONTENT:
            yield {"name": name, "description": "A fixture.", "inputSchema": SCHEMAS.get(name, NO_ARGUMENTS)}

    def call(self, caller: Caller, name: str, arguments: dict[str, Any]) -> ToolResult | None:
        if name not in CONTENT:
            return None
        return {"content": CONTENT[name], "isError": name == "test_error_handling"}


def says(*blocks: Block) -> list[Message]:
    return [{"role": "user", "content": block} for block in blocks]


def prompt(name: str, write: Callable[[Mapping[str, str]], list[Message]], arguments: tuple[str, ...] = ()) -> Prompt:
    return Prompt(
        name=name,
        title="A fixture",
        description="A fixture.",
        arguments=tuple(PromptArgument(name=one, description="An argument.") for one in arguments),
        write=lambda caller, given: write(given),
    )


def resource(uri: str, media_type: str, read: Callable[[Mapping[str, str]], Contents]) -> Resource:
    return Resource(
        uri=uri,
        name="fixture",
        title="A fixture",
        description="A fixture.",
        media_type=media_type,
        read=lambda caller, values: read(values),
    )


PROMPTS = (
    prompt("test_simple_prompt", lambda given: says(text("This is a simple prompt for testing."))),
    prompt(
        "test_prompt_with_arguments",
        lambda given: says(text(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'")),
        ("arg1", "arg2"),
    ),
    prompt(
        "test_prompt_with_embedded_resource",
        lambda given: says(
            embedded(given["resourceUri"], "text/plain", "Embedded resource content for testing."),
            text("Please process the embedded resource above."),
        ),
        ("resourceUri",),
    ),
    prompt("test_prompt_with_image", lambda given: says(IMAGE, text("Please analyze the image above."))),
)
RESOURCES = (
    resource(
        "test://static-text",
        "text/plain",
        lambda values: Contents(media_type="text/plain", text="This is the content of the static text resource."),
    ),
    resource(
        "test://static-binary",
        "image/png",
        lambda values: Contents(media_type="image/png", content=b64decode(PNG)),
    ),
    resource(
        "test://template/{id}/data",
        "application/json",
        lambda values: Contents(
            media_type="application/json",
            text=json.dumps({"id": values["id"], "templateTest": True, "data": f"Data for ID: {values['id']}"}),
        ),
    ),
)


def register() -> None:
    tools.sources.insert(0, Fixtures())
    for one in PROMPTS:
        prompts.register(one)
    for other in RESOURCES:
        resources.register(other)
