"""An upstream's response as a result that a model can use: capped, redacted, and never a surprise."""

import json
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from accesscontrol.exceptions import Refusal
from connectors.execution.capping import Caps, cap, valid_unicode
from connectors.execution.errors import ErrorStatus, NeedsReauth, RateLimited
from connectors.execution.media import Media, NotJSON, decode, looks_like_json, page_text, parse_json
from connectors.execution.redaction import Redact, redactor
from connectors.execution.retry_after import seconds_to_wait
from connectors.execution.sending import UpstreamResponse

DEFAULT_CAPS = Caps()
_EXCERPT = 500


def interpret(response: UpstreamResponse, *, secrets: Iterable[str] = (), caps: Caps = DEFAULT_CAPS) -> dict[str, Any]:
    """The result as one JSON object; where a cap fired, its first key is `elaichi_truncated`.

    - JSON: the object itself, or `{"result": value}` for an array or a plain value
    - text: `{"text": text}`; of an HTML page what it says
    - nothing, as for 204: `{"status": 204}`, with `location` where the upstream names one
    - anything else: `{"media_type": type, "bytes": size, "note": note}`

    `secrets` are what `request.secrets_of` gives. Raises NeedsReauth for 401, RateLimited for 429, and
    ErrorStatus for any other status from 400.
    """
    redact = redactor(secrets)
    if response.status >= 400:
        raise _failure(response, redact)
    return cap(_value(response), caps, redact)


def _value(response: UpstreamResponse) -> Any:
    content, location = response.content, response.headers.get("location")
    if not content:
        return {"status": response.status} | ({"location": location} if location else {})
    media = Media.of(response.headers.get("content-type", ""), content)
    if media.is_json or (media.is_text and looks_like_json(content)):
        with suppress(NotJSON):
            return parse_json(content)
    if media.is_text:
        text = decode(content, media.charset)
        return {"text": page_text(text) if media.is_html else text}
    note = "The answer is not text, so its content is left out."
    return {"media_type": media.type, "bytes": len(content), "note": note}


def _failure(response: UpstreamResponse, redact: Redact) -> Refusal:
    if response.status == 401:
        return NeedsReauth(f"{response.host} does not accept the account's credential.")
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
    visible = "".join(filter(_is_visible, " ".join(valid_unicode(text).split())))
    return redact(visible)[:_EXCERPT]


def _is_visible(char: str) -> bool:
    """Neither a control nor an invisible character (Unicode's categories C): those can hide or turn text."""
    return not unicodedata.category(char).startswith("C")
