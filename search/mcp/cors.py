"""Which pages in a browser may call /mcp, and what their browsers are told (the Fetch standard's CORS protocol).

A page of another site must not drive this server with what a person's browser can reach (DNS rebinding), so a foreign
Origin is refused. The few that may, such as an inspector that runs in a browser, are named in MCP_ALLOWED_ORIGINS; with
DEBUG on, those of this machine may too.
"""

from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpResponseBase

_MINUTES = 10


def is_admitted(origin: str) -> bool:
    if origin in (settings.PUBLIC_URL, *settings.MCP_ALLOWED_ORIGINS):
        return True
    return settings.DEBUG and _host(origin) in ("localhost", "127.0.0.1", "::1")


def allow(response: HttpResponseBase, origin: str | None) -> None:
    """Lets the page of an admitted Origin read this answer."""
    response.headers["Vary"] = "Origin"
    if origin is not None and is_admitted(origin):
        response.headers["Access-Control-Allow-Origin"] = origin
        response.headers["Access-Control-Expose-Headers"] = "WWW-Authenticate, X-Request-ID, Retry-After"


def allow_request(response: HttpResponseBase) -> None:
    """What a preflight asks: the token travels in a header that the page sets, never in a cookie."""
    response.headers["Access-Control-Allow-Methods"] = "POST"
    response.headers["Access-Control-Allow-Headers"] = (
        "Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, X-Request-ID"
    )
    response.headers["Access-Control-Max-Age"] = str(_MINUTES * 60)


def _host(origin: str) -> str | None:
    try:
        return urlsplit(origin).hostname
    except ValueError:
        return None
