"""The images, sounds and files in a remote MCP server's result: shown to the client as they are, or kept as files."""

import re
from base64 import b64decode
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from mcp_types import (
    AudioContent,
    BlobResourceContents,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    TextResourceContents,
)

from connectors.execution.capping import Caps, valid_unicode
from connectors.execution.redaction import Redact
from connectors.execution.results import Content

SHOWN_BYTES = 1024 * 1024
"""Of all that one result shows, decoded: a client takes each of them into its model's context."""
# Of a resource, what every model takes that takes images at all; another kind could fail the client's whole turn.
_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_MEDIA_TYPE = re.compile(r"(image|audio)/[\w.+-]{1,80}")

type Part = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class SortedOut:
    """Parts of our own result, and by the index of a part what is to be a file."""

    shown: tuple[Part, ...]
    kept: dict[int, Content]


def sort_out(parts: Iterable[ContentBlock], caps: Caps, redact: Redact) -> SortedOut:
    """In their order, each is shown where there is room left for it."""
    room, shown, kept = SHOWN_BYTES, list[Part](), dict[int, Content]()
    for index, part in enumerate(parts):
        data = content_of(part)
        made = _text(part, caps, redact) if data is None else _media(part, data, redact)
        size = len(data) if data is not None else _length(made)
        if made is not None and size <= room:
            shown.append(made)
            room -= size
        elif data:
            kept[index] = Content(name=redact(_name(part)), media_type=redact(_media_type(part)), data=data)
    return SortedOut(shown=tuple(shown), kept=kept)


def content_of(part: ContentBlock) -> bytes | None:
    """What an image, a sound or a file holds; None for any other part, and for what is no base64."""
    encoded = _encoded(part)
    try:
        return None if encoded is None else b64decode(encoded, validate=True)
    except ValueError:
        return None


def _text(part: ContentBlock, caps: Caps, redact: Redact) -> Part | None:
    """A text that a server embeds as a resource, as a resource of ours."""
    if not isinstance(part, EmbeddedResource) or not isinstance(part.resource, TextResourceContents):
        return None
    found = part.resource
    cleaned = {"uri": found.uri, "mimeType": found.mime_type, "text": found.text}
    clean = {name: redact(valid_unicode(text))[: caps.string] for name, text in cleaned.items() if text is not None}
    return {"type": "resource", "resource": clean}


def _media(part: ContentBlock, data: bytes, redact: Redact) -> Part | None:
    """None for what is to be a file, however small it is."""
    media_type = redact(_media_type(part))
    as_it_came = isinstance(part, ImageContent | AudioContent) and _MEDIA_TYPE.fullmatch(media_type)
    if not data or not (as_it_came or media_type in _PICTURES):
        return None
    return {"type": media_type.partition("/")[0], "data": _encoded(part), "mimeType": media_type}


def _encoded(part: ContentBlock) -> str | None:
    """Its base64, without the line breaks that some encoders put in."""
    match part:
        case ImageContent() | AudioContent():
            return "".join(part.data.split())
        case EmbeddedResource(resource=BlobResourceContents() as found):
            return "".join(found.blob.split())
    return None


def _media_type(part: ContentBlock) -> str:
    found = part.resource if isinstance(part, EmbeddedResource) else part
    return getattr(found, "mime_type", None) or "application/octet-stream"


def _length(made: Part | None) -> int:
    return len(made["resource"]["text"].encode()) if made else 0


def _name(part: ContentBlock) -> str:
    """The last segment of a resource's address; what has none is called by its type."""
    uri = part.resource.uri if isinstance(part, EmbeddedResource) else ""
    return uri.partition("?")[0].rstrip("/").rpartition("/")[2][:255] or part.type
