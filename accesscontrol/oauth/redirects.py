"""Which addresses a browser may be sent back to with a code."""

from re import compile as pattern
from urllib.parse import urlsplit

from accesscontrol.oauth.configuration import APP_SCHEMES

MAX_REDIRECTS = 20
_MAX_LENGTH = 1000
_NETLOC = pattern(r"[A-Za-z0-9._:\[\]-]+")
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def is_acceptable(uri: object) -> bool:
    """An https page, a port of the member's own machine, or a program known to take such calls."""
    if not isinstance(uri, str) or len(uri) > _MAX_LENGTH or not uri.isascii() or not uri.isprintable() or " " in uri:
        return False
    try:
        parts = urlsplit(uri)
        _ = parts.port
    except ValueError:
        return False
    if "#" in uri or "\\" in uri or not _NETLOC.fullmatch(parts.netloc):
        return False
    if parts.scheme == "https":
        return bool(parts.hostname)
    if parts.scheme == "http":
        return parts.hostname in _LOOPBACK
    return parts.scheme in APP_SCHEMES and bool(parts.netloc)


def leads_home(uri: str) -> bool:
    """To a program on the member's own machine: a stranger's page cannot be there."""
    return urlsplit(uri).scheme != "https"


def shown(uri: str) -> str:
    """As the consent page names it: the host of a page, or the kind of program."""
    parts = urlsplit(uri)
    if parts.scheme == "https":
        return parts.netloc
    return f"this computer ({parts.netloc})" if parts.scheme == "http" else f"the {parts.scheme} app on this computer"


def form_actions(uri: str) -> list[str]:
    """The sources for a page whose answer leads there, and from there on: the client's page may send its person to
    another one, or to its program, and browsers hold those redirects to our page too.
    """
    anywhere = [
        "https:",
        *(f"http://{host}:*" for host in _LOOPBACK if host != "::1"),
        *(f"{it}:" for it in APP_SCHEMES),
    ]
    return list(dict.fromkeys([form_action(uri), *anywhere]))


def form_action(uri: str) -> str:
    """The source that lets a browser follow a posted form to it (CSP `form-action`, which knows no IPv6 address)."""
    parts = urlsplit(uri)
    if parts.hostname == "::1":
        return f"{parts.scheme}:"
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") else f"{parts.scheme}:"
