"""What a file that an upstream sends is called: by its Content-Disposition (RFC 6266), else by its address."""

import mimetypes
import re
import unicodedata
from urllib.parse import unquote

from connectors.execution.sending import UpstreamResponse

_LONGEST = 120
_EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,10}$")
# RFC 8187, 3.2.1: charset, language and percent-encoded octets.
_EXTENDED = re.compile(r"filename\*\s*=\s*(utf-8|iso-8859-1)'[^']*'([^;\s]+)", re.IGNORECASE)
_QUOTED = re.compile(r'filename\s*=\s*"((?:[^"\\]|\\.)*)"', re.IGNORECASE)
_PLAIN = re.compile(r"filename\s*=\s*([^\s;\"]+)", re.IGNORECASE)


def name_of(response: UpstreamResponse, media_type: str) -> str:
    """A file name with an extension where its type has one."""
    given = disposed(response.headers.get("content-disposition", "")) or safe(response.path) or "file"
    return given if _EXTENSION.search(given) else given + (mimetypes.guess_extension(media_type) or "")


def disposed(header: str) -> str:
    """The name that a Content-Disposition header gives, made safe; empty where it gives none."""
    header = header[:2_000]
    if found := _EXTENDED.search(header):
        return safe(unquote(found[2], encoding=found[1], errors="replace"))
    if found := _QUOTED.search(header):
        return safe(re.sub(r"\\(.)", r"\1", found[1]))
    return safe(found[1]) if (found := _PLAIN.search(header)) else ""


def safe(name: str) -> str:
    """One plain path segment: no directories, control or invisible characters, and no leading dots."""
    last = re.split(r"[/\\]", name.rstrip("/\\"))[-1]
    visible = "".join(" " if char in '<>:"|?*%#' or _is_hidden(char) else char for char in last)
    return _shortened(" ".join(visible.split()).lstrip(". ").rstrip(". "))


def _is_hidden(char: str) -> bool:
    """Controls, and characters that can turn a name around (Unicode's categories C)."""
    return unicodedata.category(char).startswith("C")


def _shortened(name: str) -> str:
    """By its stem: the extension says what it is."""
    found = _EXTENSION.search(name)
    extension = found[0] if found else ""
    return name[: len(name) - len(extension)][: _LONGEST - len(extension)].rstrip(". ") + extension
