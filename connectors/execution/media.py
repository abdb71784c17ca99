"""What kind of content a response holds, and its text."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Any

_CHARSET = re.compile(r"charset\s*=\s*\"?([\w.:-]{1,40})", re.IGNORECASE)
# Encodings of web pages. Python knows others (punycode, idna) whose decoders take quadratic time.
_WEB_CHARSET = re.compile(r"utf[-_]?(8|16|32)|(us-)?ascii|latin|iso[-_]?8859|(windows-|cp)125|gb|big5|shift|euc|koi8")
_TEXT_TYPE = re.compile(
    r"text/.*|.*\+(xml|yaml)|application/(xml|yaml|x-yaml|javascript|x-ndjson|jsonl|x-www-form-urlencoded)"
)
_TAG = re.compile(r"/?([A-Za-z][A-Za-z0-9]*)|[!?]")
_UNSEEN = frozenset({"script", "style", "template", "svg"})
# Of an integer: few JSON readers take more, and Python refuses to write much longer ones.
_MAX_DIGITS = 300


class NotJSON(ValueError):
    """The content is no JSON text, or one that is nested too deeply to be read."""


@dataclass(frozen=True, kw_only=True)
class Media:
    """`type` is lower-case and without parameters."""

    type: str
    charset: str

    @classmethod
    def of(cls, content_type: str, content: bytes) -> "Media":
        """From the Content-Type header, or from a look at the content where that is empty."""
        essence = content_type.partition(";")[0].strip().lower()
        charset = _CHARSET.search(content_type)
        return cls(type=essence or _guess(content), charset=charset[1].lower() if charset else "utf-8")

    @property
    def is_json(self) -> bool:
        return self.type in ("application/json", "text/json") or self.type.endswith("+json")

    @property
    def is_html(self) -> bool:
        return self.type in ("text/html", "application/xhtml+xml")

    @property
    def is_text(self) -> bool:
        return self.is_json or _TEXT_TYPE.fullmatch(self.type) is not None


def decode(content: bytes, charset: str) -> str:
    """Never fails: what is not valid in the charset, or an unknown one, gives U+FFFD."""
    name = charset if _WEB_CHARSET.match(charset) else "utf-8"
    try:
        return content.decode(name, "replace").removeprefix("\ufeff")
    except LookupError:
        return content.decode("utf-8", "replace").removeprefix("\ufeff")


def parse_json(content: bytes) -> Any:
    """Raises NotJSON. NaN and infinite numbers become floats, an integer of over 300 digits a string."""
    try:
        return json.loads(decode(content, json.detect_encoding(content)), parse_int=_integer)
    except (ValueError, RecursionError):
        raise NotJSON from None


def looks_like_json(content: bytes) -> bool:
    """Some APIs send JSON objects and arrays as text/plain or text/html."""
    return content[:64].lstrip()[:1] in (b"{", b"[")


def page_text(html: str) -> str:
    """What an HTML page says, without tags, scripts and styles.

    One pass over the tags, since the page is the upstream's: Python's HTML parser can be led into quadratic
    time.
    """
    return re.sub(r"\s+", " ", unescape(" ".join(_visible(html)))).strip()


def _visible(html: str) -> Iterator[str]:
    first, *pieces = html.split("<")
    yield first
    unseen = ""
    for piece in pieces:
        content, closed, rest = piece.partition("-->" if unseen == "--" else ">")
        if unseen:
            ends = closed if unseen == "--" else content.lower().startswith(f"/{unseen}")
            unseen = "" if ends else unseen
            yield rest if ends else ""
        elif not _TAG.match(piece):
            yield "<" + piece
        elif piece.startswith("!--"):
            _, closed, rest = piece.partition("-->")
            unseen = "" if closed else "--"
            yield rest
        else:
            unseen = name if (name := _name(content)) in _UNSEEN else ""
            yield "" if unseen else rest


def _name(tag: str) -> str:
    found = _TAG.match(tag)
    return (found[1] or "").lower() if found and not tag.startswith("/") else ""


def _guess(content: bytes) -> str:
    if looks_like_json(content):
        return "application/json"
    try:
        binary = "\0" in content.decode()
    except UnicodeDecodeError:
        binary = True
    return "application/octet-stream" if binary else "text/plain"


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _MAX_DIGITS else digits
