"""Stored files as a resource: the member's own, each through the checks that its link has."""

from collections.abc import Iterable, Mapping
from uuid import UUID

from django.utils import timezone

from accesscontrol import audit
from accesscontrol.caller import Caller
from accesscontrol.exceptions import Refusal
from connectors.execution.files import openable
from connectors.files import links
from connectors.models import StoredFile
from search.mcp.completion import MAX_VALUES
from search.mcp.resources import Contents, UnknownResource

MAX_BYTES = 1024**2
"""A larger file is not put into an answer, which a model would read whole."""
_TEXT = ("application/json", "application/xml", "application/yaml")


def read(caller: Caller, values: Mapping[str, str]) -> Contents:
    """Raises UnknownResource, also for one that may not be opened any more."""
    try:
        pk = UUID(values["id"])
        with audit.call(caller, action="file.open", target=f"file:{pk}") as entry:
            file = openable(caller, str(pk))
            entry.connection = str(file.connection or "")
            return _contents(caller, file)
    except (ValueError, Refusal):
        raise UnknownResource from None


def ids(caller: Caller, known: Mapping[str, str]) -> Iterable[str]:
    """The newest; whether one opens is asked when it is read."""
    if caller.toolboxes is not None:
        return ()
    rows = StoredFile.objects.filter(member=caller.member, expires_at__gt=timezone.now())
    return (str(pk) for pk in rows.order_by("-created_at").values_list("pk", flat=True)[:MAX_VALUES])


def _contents(caller: Caller, file: StoredFile) -> Contents:
    if file.size > MAX_BYTES:
        link = links.described(caller, file)
        return Contents(
            media_type="text/plain",
            text=f"{file.name} has {file.size:,} bytes. By {link['url_expires_at']}, open it at {link['url']}",
        )
    try:
        with file.content.open("rb") as content:
            found = content.read()
    except FileNotFoundError:
        raise UnknownResource from None
    return Contents(media_type=file.media_type, text=_text(file.media_type, found), content=found)


def _text(media_type: str, content: bytes) -> str | None:
    """None for what is no text, whatever it is called."""
    kind = media_type.partition(";")[0].strip().lower()
    if not (kind.startswith("text/") or kind.endswith(("+json", "+xml")) or kind in _TEXT):
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None
