"""Files on their way through a call: what it brought back is kept, what it sends is opened."""

import logging
from typing import Any
from uuid import UUID

from django.utils import timezone

from accesscontrol.caller import Caller
from accesscontrol.exceptions import NotFound
from accesscontrol.services.grants import renew
from connectors.execution.capping import FILE, TRUNCATED
from connectors.execution.outgoing_file import OutgoingFile
from connectors.execution.results import Result
from connectors.files import links
from connectors.files.access import require_open
from connectors.files.storing import Origin, QuotaExceeded, store
from connectors.models import StoredFile

logger = logging.getLogger(__name__)


def with_file(caller: Caller, result: Result, origin: Origin) -> dict[str, Any]:
    """The result's value, with a link to its content where it has any.

    What was done is done: where the content cannot be kept, the result says so and is no failure, which would invite
    to try again.
    """
    content = result.content
    if content is None:
        return result.value
    try:
        file = store(
            member=caller.member, name=content.name, media_type=content.media_type, data=content.data, origin=origin
        )
    except (QuotaExceeded, OSError) as error:
        return _without(result.value, error)
    described = links.described(caller, file)
    if TRUNCATED in result.value:
        return {TRUNCATED: True, FILE: described, **result.value}
    return {"file": described}


def open_for_call(caller: Caller, file_id: str) -> OutgoingFile:
    """A file of the caller's own, if it may be opened at this moment. Raises Refusal."""
    file = openable(caller, file_id)
    try:
        with file.content.open("rb") as content:
            return OutgoingFile(name=file.name, media_type=file.media_type, content=content.read())
    except FileNotFoundError:
        raise NotFound("file") from None


def openable(caller: Caller, file_id: str) -> StoredFile:
    """Not read yet. Raises Refusal."""
    file = _find(caller, file_id)
    require_open(renew(caller), file)
    return file


def _find(caller: Caller, file_id: str) -> StoredFile:
    try:
        pk = UUID(file_id)
    except ValueError:
        raise NotFound("file") from None
    rows = StoredFile.objects.filter(pk=pk, member=caller.member, expires_at__gt=timezone.now())
    file = rows.select_related("connector", "connection").first()
    if file is None:
        raise NotFound("file")
    return file


def _without(value: dict[str, Any], error: QuotaExceeded | OSError) -> dict[str, Any]:
    if isinstance(error, OSError):
        logger.error("A file could not be kept.", exc_info=error)
    why = str(error) if isinstance(error, QuotaExceeded) else "Its content could not be kept; this was logged."
    return {**value, "note": f"The call was made. {why}"} if TRUNCATED not in value else value
