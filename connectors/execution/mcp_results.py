"""A remote MCP server's result as one that a model can use: capped and redacted as that of an HTTP API."""

from base64 import b64decode
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

from connectors.execution.capping import Caps, cap
from connectors.execution.errors import UpstreamError
from connectors.execution.redaction import Redact, redactor
from connectors.execution.results import DEFAULT_CAPS, Content, Result, one_line

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

    Of the images, sounds and files that are too large for a value, the first comes as content. Raises ToolFailed for a
    result that is an error.
    """
    redact = redactor(secrets)
    if result.is_error:
        raise ToolFailed(host, _excerpt(result, redact))
    value = cap(_value(result, caps), caps, redact)
    return Result(value=value, content=_kept(result, caps, redact))


def _value(result: CallToolResult, caps: Caps) -> Any:
    parts, structured = result.content, result.structured_content
    if structured is not None and all(isinstance(part, TextContent) for part in parts):
        return structured
    if structured is None and len(parts) == 1 and isinstance(parts[0], TextContent):
        return {"text": parts[0].text}
    beside = {} if structured is None else {"structured": structured}
    return {"content": [_part(part, caps) for part in parts], **beside}


def _part(part: ContentBlock, caps: Caps) -> Value:
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
            return {"type": part.type, "uri": part.resource.uri, **media(*_encoded(part), caps)}
    return {"type": part.type, **media(*_encoded(part), caps)}


def media(data: str, media_type: str, caps: Caps) -> Value:
    """An image, a sound or a file, which travels as base64: with its data where that is small enough for a value."""
    if len(data) <= caps.string:
        return {"media_type": media_type, "data": data}
    note = "The content is too large to be shown, so it is left out."
    return {"media_type": media_type, "bytes": len(data) * 3 // 4, "note": note}


def _kept(result: CallToolResult, caps: Caps, redact: Redact) -> Content | None:
    """The first part whose data `media` leaves out."""
    for part in result.content:
        data, media_type = _encoded(part)
        if len(data) > caps.string:
            with suppress(ValueError):
                return Content(name=redact(_name(part)), media_type=redact(media_type), data=b64decode(data))
    return None


def _encoded(part: ContentBlock) -> tuple[str, str]:
    """The base64 text and the media type of a part that has them."""
    match part:
        case ImageContent() | AudioContent():
            return part.data, part.mime_type
        case EmbeddedResource(resource=BlobResourceContents() as found):
            return found.blob, found.mime_type or "application/octet-stream"
    return "", ""


def _name(part: ContentBlock) -> str:
    """The last segment of a resource's address; what has none is called by its type."""
    uri = part.resource.uri if isinstance(part, EmbeddedResource) else ""
    return uri.partition("?")[0].rstrip("/").rpartition("/")[2][:255] or part.type


def _given(values: dict[str, str | None]) -> Value:
    return {name: value for name, value in values.items() if value}


def _excerpt(result: CallToolResult, redact: Redact) -> str:
    return one_line(" ".join(part.text for part in result.content if isinstance(part, TextContent)), redact)
