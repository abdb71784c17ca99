"""Tool results in MCP's shape: text for every client, the same as structured content for those that read it."""

import json
from typing import Any

from accesscontrol.exceptions import Refusal
from connectors.execution.results import Result

type ToolResult = dict[str, Any]


def success(result: Result) -> ToolResult:
    """A JSON object, and after it what an upstream shows: images, sounds, embedded texts."""
    text = _text(_json(result.value))
    return {"content": [text, *result.parts], "structuredContent": result.value, "isError": False}


def refusal(error: Refusal) -> ToolResult:
    """What stood in the way, as a result that the model can act on."""
    said = {"error": {"code": error.code, "message": str(error), **error.help}}
    return {"content": [_text(_json(said))], "structuredContent": said, "isError": True}


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
