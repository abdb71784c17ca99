"""Writes multipart/form-data (RFC 7578), with names quoted the way browsers do (HTML, "Multipart form data")."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

MULTIPART = "multipart/form-data"
# What would end the quoted name or its line; a backslash escapes the quote for readers of MIME.
_UNQUOTABLE = re.compile(r'[\x00-\x1f\x7f"\\]')


@dataclass(frozen=True, kw_only=True)
class Part:
    """One field of the form. `headers` and `media_type` are fit to be sent; `name` and `filename` may be any text."""

    name: str
    content: bytes
    filename: str | None = None
    media_type: str = ""
    headers: tuple[tuple[str, str], ...] = ()


def encode(parts: Iterable[Part]) -> tuple[bytes, str]:
    """The body and its media type. The boundary follows from the parts, so equal calls send equal bytes."""
    written = [_written(part) for part in parts]
    boundary = _boundary(written)
    pieces = [b"--%b\r\n%b\r\n" % (boundary, piece) for piece in written]
    return b"".join([*pieces, b"--%b--\r\n" % boundary]), f"{MULTIPART}; boundary={boundary.decode()}"


def _boundary(pieces: list[bytes]) -> bytes:
    """One that stands in no part: nobody can make a file that holds a hash of itself."""
    digest = sha256()
    for piece in pieces:
        digest.update(b"%d:" % len(piece) + piece)
    return digest.hexdigest()[:40].encode()


def _written(part: Part) -> bytes:
    disposition = f'form-data; name="{_quotable(part.name)}"'
    if part.filename is not None:
        disposition += f'; filename="{_quotable(_base_name(part.filename))}"'
    headers = [("Content-Disposition", disposition), *part.headers]
    if part.media_type:
        headers.append(("Content-Type", part.media_type))
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    return lines.encode() + b"\r\n" + part.content


def _base_name(filename: str) -> str:
    return re.split(r"[/\\]", filename)[-1] or "file"


def _quotable(name: str) -> str:
    return _UNQUOTABLE.sub(lambda found: f"%{ord(found[0]):02X}", name)
