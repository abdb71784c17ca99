"""What a header may be called and hold, and which of them no tool may set."""

import re

# Headers that no argument may set. OpenAPI 3.1 ("Parameter Object") has Authorization and Content-Type
# parameters ignored. The others frame the message or belong to one hop (RFC 9110, 7.6.1; RFC 9112, 6), say
# who is asking, or would turn the method into another one.
RESERVED_HEADERS = frozenset(
    {
        "authorization",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "cookie",
        "expect",
        "forwarded",
        "host",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "user-agent",
        "via",
        "x-forwarded-for",
        "x-forwarded-host",
        "x-forwarded-proto",
        "x-http-method",
        "x-http-method-override",
        "x-method-override",
    }
)
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_FIELD_VALUE = re.compile(r"[\t\x20-\x7e]*")


def is_field_value(text: str) -> bool:
    """Whether a header can carry it: ASCII without CR, LF, NUL and other controls (RFC 9110, 5.5)."""
    return _FIELD_VALUE.fullmatch(text) is not None


def is_token(text: str) -> bool:
    """Whether it can be a header's name or a method (RFC 9110, 5.6.2)."""
    return _TOKEN.fullmatch(text) is not None
