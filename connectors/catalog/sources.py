"""Where a catalog document comes from: a file of this machine, or a URL."""

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
from django.conf import settings

from accesscontrol.exceptions import Refusal
from connectors.catalog.document import CatalogError
from connectors.catalog.openapi.loading import MAX_BYTES
from connectors.execution.egress import guarded_transport
from connectors.execution.sending import Limits, send

_LIMITS = Limits(total=60.0, max_bytes=MAX_BYTES)


def load_source(location: str) -> bytes:
    """The bytes of a file or of an http(s) URL, which must lead to public addresses. Raises CatalogError."""
    return _fetch(location) if _is_url(location) else _read(Path(location))


def url_to_read_again(locations: Sequence[str]) -> str:
    """The URL of the only document; empty for files, for several documents, and for a URL with a password in it."""
    if len(locations) == 1 and _is_url(locations[0]) and "@" not in urlsplit(locations[0]).netloc:
        return locations[0]
    return ""


def _is_url(location: str) -> bool:
    return location.lower().startswith(("http://", "https://"))


def _read(path: Path) -> bytes:
    """One byte more than a document may have is enough to know that it has too many."""
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise CatalogError(f"The file {str(path)!r} cannot be read: {why}.") from error


def _fetch(url: str) -> bytes:
    """Through the egress guard, on every redirect: the document's address comes from somebody else too."""
    try:
        response = send(
            httpx2.Request("GET", url),
            transport=guarded_transport(settings.EGRESS_ALLOWED),
            hop_check=lambda hop: None,
            limits=_LIMITS,
        )
    except httpx2.InvalidURL as error:
        raise CatalogError(f"The document's URL is not valid: {error}.") from error
    except Refusal as refusal:
        raise CatalogError(f"The document cannot be fetched: {refusal}") from refusal
    if response.status != 200:
        raise CatalogError(f"The document cannot be fetched: {response.host} answered with status {response.status}.")
    return response.content
