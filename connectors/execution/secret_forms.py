"""In which forms an upstream may say a secret back: as it is, and as encodings write it."""

import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from html import escape
from json import dumps
from urllib.parse import quote

from connectors.execution.styles import encode

_ESCAPE = re.compile("%[0-9A-F]{2}")
# Shorter ones are in ordinary words.
_SHORTEST_IN_BASE64 = 8


def forms(secret: str) -> set[str]:
    """Plain, in URLs, JSON, HTML, hex and base64."""
    data = secret.encode()
    plain = {secret, encode(secret), quote(secret), dumps(secret)[1:-1], escape(secret)}
    in_lower_case = {_ESCAPE.sub(lambda found: found[0].lower(), form) for form in plain}
    return plain | in_lower_case | {data.hex(), data.hex().upper()} | set(_in_base64(data))


def _in_base64(data: bytes) -> Iterator[str]:
    """Whole, and what it is behind a text of any length, `Bearer ` for one: three bytes make four characters."""
    for encoded in (b64encode, urlsafe_b64encode):
        yield encoded(data).decode().rstrip("=")
        for before in range(3):
            text = encoded(bytes(before) + data).decode()
            core = text[(0, 2, 3)[before] : (before + len(data)) // 3 * 4]
            if len(core) >= _SHORTEST_IN_BASE64:
                yield core
