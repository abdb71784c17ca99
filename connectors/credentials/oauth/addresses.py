"""Where a sign-in may lead and its secrets may be sent: over https alone, but for servers of this machine."""

from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from django.conf import settings


def callback_url() -> str:
    """The redirect URI that is registered with each product."""
    return f"{settings.PUBLIC_URL}/connect/callback/"


def problem_of(url: str) -> str:
    """Why the address can't be used, as a sentence for whoever enters it; empty where it can."""
    try:
        parts = urlsplit(url)
        has_host = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return "This is not a valid URL."
    if not has_host or parts.scheme not in ("http", "https"):
        return "Enter the whole address, beginning with https://."
    if parts.username is not None or parts.fragment:
        return "The address must have neither a user name nor a fragment."
    if parts.scheme == "http" and not _is_local(parts):
        return "The address must begin with https://: secrets are sent there."
    return ""


def origin(url: str) -> str:
    """Scheme, host and port in one spelling."""
    parts = urlsplit(url)
    default = {"http": ":80", "https": ":443"}.get(parts.scheme, "")
    place = parts.netloc.rpartition("@")[2].lower()
    return f"{parts.scheme}://{place.removesuffix(default)}"


def _is_local(parts: SplitResult) -> bool:
    if parts.netloc.lower() in {allowed.lower() for allowed in settings.EGRESS_ALLOWED}:
        return True
    return bool(settings.DEBUG) and _is_loopback(parts.hostname or "")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
