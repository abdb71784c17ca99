"""Files on their way through a call: what it brought back is kept, what it sends is opened."""

import logging
from typing import Any

from django.utils import timezone

from accesscontrol.caller import Caller
from accesscontrol.exceptions import NotFound
from accesscontrol.services.grants import renew
from accesscontrol.tenancy import with_id
from connectors.execution.capping import FILE, TRUNCATED
from connectors.execution.outgoing_file import OutgoingFile
from connectors.execution.results import Content, Result
from connectors.files import links
from connectors.files.access import require_open
from connectors.files.storing import Origin, QuotaExceeded, store
from connectors.models import StoredFile

logger = logging.getLogger(__name__)


def with_files(caller: Caller, result: Result, origin: Origin) -> Result:
    """The result with a link to each of its contents, kept as files by now.

    What was done is done: where a content cannot be kept, the result says so and is no failure, which would invite
    to try again.
    """
    value = result.value
    for index, content in result.kept.items():
        value["content"][index] |= _kept(caller, content, origin)
    if result.content is not None:
        value = _with_file(value, _kept(caller, result.content, origin))
    return Result(value=value, parts=result.parts)


def _kept(caller: Caller, content: Content, origin: Origin) -> dict[str, Any]:
    """`file`, or a `note` that says why there is none."""
    try:
        file = store(
            member=caller.member, name=content.name, media_type=content.media_type, data=content.data, origin=origin
        )
    except QuotaExceeded as error:
        return {"note": f"The call was made. {error}"}
    except OSError as error:
        logger.error("A file could not be kept.", exc_info=error)
        return {"note": "The call was made. Its content could not be kept; this was logged."}
    return {"file": links.described(caller, file)}


def _with_file(value: dict[str, Any], kept: dict[str, Any]) -> dict[str, Any]:
    """Of a text that was cut, what is left stands beside the link; of anything else only the link is of use."""
    if "file" not in kept:
        return value if TRUNCATED in value else {**value, **kept}
    return {TRUNCATED: True, FILE: kept["file"], **value} if TRUNCATED in value else kept


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
    rows = with_id(StoredFile.objects.of(caller.organization), file_id)
    rows = rows.filter(member=caller.member, expires_at__gt=timezone.now())
    file = rows.select_related("connector", "connection").first()
    if file is None:
        raise NotFound("file")
    return file
