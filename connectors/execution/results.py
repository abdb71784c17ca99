"""An upstream's response as a result that a model can use: capped, redacted, and never a surprise."""

import json
import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from accesscontrol.exceptions import Refusal
from connectors.execution.capping import TRUNCATED, Caps, cap, valid_unicode
from connectors.execution.content_names import name_of
from connectors.execution.errors import CredentialRefused, ErrorStatus, RateLimited
from connectors.execution.media import Media, NotJSON, decode, looks_like_json, page_text, parse_json
from connectors.execution.redaction import Redact, redactor
from connectors.execution.retry_after import seconds_to_wait
from connectors.execution.sending import UpstreamResponse

DEFAULT_CAPS = Caps()
WHOLE_IS_KEPT_FROM = 1024 * 1024
"""Bytes. A text that is cut is kept whole beside its result from here on; below, asking for less is cheaper."""
_EXCERPT = 500


@dataclass(frozen=True, kw_only=True)
class Content:
    """What is to be kept as a file: of a text the whole as UTF-8, without secrets; of anything else the bytes."""

    name: str
    media_type: str
    data: bytes


@dataclass(frozen=True, kw_only=True)
class Result:
    """One JSON object, and what did not fit into it.

    `parts` are what an MCP client is shown beside it, in that protocol's shape. `kept` are contents that are to be
    files, each by the index of the object in `value["content"]` that tells of it.
    """

    value: dict[str, Any]
    content: Content | None = None
    parts: tuple[dict[str, Any], ...] = ()
    kept: Mapping[int, Content] = field(default_factory=dict)


def interpret(response: UpstreamResponse, *, secrets: Iterable[str] = (), caps: Caps = DEFAULT_CAPS) -> Result:
    """The result; where a cap fired, its first key is `elaichi_truncated`.

    - JSON: the object itself, or `{"result": value}` for an array or a plain value
    - text: `{"text": text}`; of an HTML page what it says
    - nothing, as for 204: `{"status": 204}`, with `location` where the upstream names one
    - anything else: `{"media_type": type, "bytes": size, "note": note}`, and its content

    Of a text of over 1 MiB that was cut, the content comes, too. `secrets` are what `request.secrets_of` gives.
    Raises CredentialRefused for 401, RateLimited for 429, and ErrorStatus for any other status from 400.
    """
    redact = redactor(secrets)
    if response.status >= 400:
        raise failure(response, redact)
    media = Media.of(response.headers.get("content-type", ""), response.content)
    if response.content and not media.is_text:
        return _binary(response, media, redact)
    value = cap(_value(response, media), caps, redact)
    whole = TRUNCATED in value and len(response.content) > WHOLE_IS_KEPT_FROM
    return Result(value=value, content=_text(response, media, redact) if whole else None)


def _value(response: UpstreamResponse, media: Media) -> Any:
    content, location = response.content, response.headers.get("location")
    if not content:
        return {"status": response.status} | ({"location": location} if location else {})
    if media.is_json or looks_like_json(content):
        with suppress(NotJSON):
            return parse_json(content)
    text = decode(content, media.charset)
    return {"text": page_text(text) if media.is_html else text}


def _binary(response: UpstreamResponse, media: Media, redact: Redact) -> Result:
    note = "The answer is not text, so its content is left out."
    value = {"media_type": redact(media.type), "bytes": len(response.content), "note": note}
    return Result(value=value, content=_content(response, media, redact, response.content))


def _text(response: UpstreamResponse, media: Media, redact: Redact) -> Content:
    charset = json.detect_encoding(response.content) if media.is_json else media.charset
    return _content(response, media, redact, redact(decode(response.content, charset)).encode())


def _content(response: UpstreamResponse, media: Media, redact: Redact, data: bytes) -> Content:
    return Content(name=redact(name_of(response, media.type)), media_type=redact(media.type), data=data)


def failure(response: UpstreamResponse, redact: Redact) -> Refusal:
    """Of a response whose status says that it is an error."""
    if response.status == 401:
        return CredentialRefused(response.host)
    if response.status == 429:
        seconds = seconds_to_wait(response.headers.get("retry-after"), now=datetime.now(UTC))
        return RateLimited(response.host, seconds)
    return ErrorStatus(response.host, response.status, _excerpt(response, redact))


def _excerpt(response: UpstreamResponse, redact: Redact) -> str:
    """The beginning of what an error says, as one line of printable text."""
    media = Media.of(response.headers.get("content-type", ""), response.content)
    if not media.is_text:
        return ""
    text = decode(response.content, media.charset)
    if media.is_html and not looks_like_json(response.content):
        text = page_text(text)
    elif media.is_json or looks_like_json(response.content):
        with suppress(NotJSON):
            text = json.dumps(parse_json(response.content), ensure_ascii=False)
    return one_line(text, redact)


def one_line(text: str, redact: Redact) -> str:
    """At most 500 characters of what an upstream says, printable and redacted."""
    visible = "".join(filter(_is_visible, " ".join(valid_unicode(text).split())))
    return redact(visible)[:_EXCERPT]


def _is_visible(char: str) -> bool:
    """Neither a control nor an invisible character (Unicode's categories C): those can hide or turn text."""
    return not unicodedata.category(char).startswith("C")
