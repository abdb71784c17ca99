"""A remote MCP server's result as one that a model can use: capped and redacted as that of an HTTP API."""

from collections.abc import Iterable
from typing import Any

from mcp_types import (
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from connectors.execution.capping import Caps, cap
from connectors.execution.errors import UpstreamError
from connectors.execution.mcp_parts import content_of, sort_out
from connectors.execution.redaction import Redact, redactor
from connectors.execution.results import DEFAULT_CAPS, Result, one_line

type Value = dict[str, Any]


class ToolFailed(UpstreamError):
    """The server ran the tool, and the tool says that it failed. `said` is redacted plain text."""

    def __init__(self, host: str, said: str) -> None:
        super().__init__(f"The tool failed at {host}." + (f" It said: {said}" if said else ""))
        self.said = said
        self.help = {"excerpt": said}


def interpret_mcp(
    result: CallToolResult, *, host: str, secrets: Iterable[str] = (), caps: Caps = DEFAULT_CAPS
) -> Result:
    """The result; where a cap fired, its first key is `elaichi_truncated`.

    - structured content: the object itself, or `{"result": value}` for another value
    - one text: `{"text": text}`
    - anything else: `{"content": [part, …]}`, where a part has a `type`, and `structured` where there is that too

    Images, sounds and embedded texts come as `parts` beside the value, which only names them; those that are too
    large, and files, as `kept`. Raises ToolFailed for a result that is an error.
    """
    redact = redactor(secrets)
    if result.is_error:
        raise ToolFailed(host, _excerpt(result, redact))
    value = cap(_value(result), caps, redact)
    # What is cut off the value is not told of, so it is neither shown nor kept.
    found = sort_out(result.content[: caps.array], caps, redact)
    return Result(value=value, parts=found.shown, kept=found.kept)


def _value(result: CallToolResult) -> Any:
    parts, structured = result.content, result.structured_content
    if structured is not None and all(isinstance(part, TextContent) for part in parts):
        return structured
    if structured is None and len(parts) == 1 and isinstance(parts[0], TextContent):
        return {"text": parts[0].text}
    beside = {} if structured is None else {"structured": structured}
    return {"content": [_part(part) for part in parts], **beside}


def _part(part: ContentBlock) -> Value:
    match part:
        case TextContent():
            return {"type": "text", "text": part.text}
        case ResourceLink():
            told = {"title": part.title, "description": part.description, "media_type": part.mime_type}
            return {"type": part.type, "uri": part.uri, "name": part.name, **_given(told)}
        case EmbeddedResource(resource=TextResourceContents() as found):
            told = {"media_type": found.mime_type}
            return {"type": part.type, "uri": found.uri, "text": found.text, **_given(told)}
        case EmbeddedResource():
            return {"type": part.type, "uri": part.resource.uri, **_data(part, part.resource.mime_type)}
    return {"type": part.type, **_data(part, part.mime_type)}


def _data(part: ContentBlock, media_type: str | None) -> Value:
    """Never the data itself: in a value it would be so many letters to a model."""
    data = content_of(part)
    told = {"bytes": len(data)} if data is not None else {"note": "The content is not base64, so it is left out."}
    return {"media_type": media_type or "application/octet-stream", **told}


def _given(values: dict[str, str | None]) -> Value:
    return {name: value for name, value in values.items() if value}


def _excerpt(result: CallToolResult, redact: Redact) -> str:
    return one_line(" ".join(part.text for part in result.content if isinstance(part, TextContent)), redact)
