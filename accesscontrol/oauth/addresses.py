"""The addresses of the authorization server and of what it protects, all from PUBLIC_URL, never from a request."""

from django.conf import settings
from django.urls import reverse


def issuer() -> str:
    return str(settings.PUBLIC_URL)


def resource() -> str:
    """The one audience there is (RFC 8707): the address of /mcp, exactly as people give it to their clients."""
    return f"{settings.PUBLIC_URL}/mcp"


def is_ours(asked: str) -> bool:
    """A client that was given the address with a slash at its end names it so; no other spelling is taken."""
    return asked in (resource(), resource() + "/")


def endpoint(name: str) -> str:
    return f"{settings.PUBLIC_URL}{reverse(name)}"
