"""Keeping a file's content and its row, and letting go of both.

The content is there before its row and gone after it. So whatever is interrupted leaves content that nothing leads
to, which a sweep removes, and never a row whose content is missing.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import PurePosixPath
from uuid import UUID

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import Storage
from django.db import transaction
from django.db.models import Sum
from django.utils import timezone

from accesscontrol.exceptions import Refusal
from accesscontrol.models import Member
from connectors.execution.content_names import safe
from connectors.files import media_types
from connectors.models import Connection, StoredFile, Tool

_FOLDER = "files"
# Content whose row is still to come, in a process that is slow.
_WITHOUT_ROW = timedelta(hours=1)
_MIB = 1024 * 1024


class QuotaExceeded(Refusal):
    code = "conflict"

    def __init__(self, used: int, quota: int) -> None:
        super().__init__(
            f"Your stored files take {used // _MIB} of {quota // _MIB} MiB, so this one was not kept. "
            f"Each ends by itself {_hours()} after it came: ask again then, or for less at once.",
            used=used,
            quota=quota,
        )


def _hours() -> str:
    hours = round(settings.FILE_SECONDS / 3600)
    return f"{hours} hours" if hours > 1 else "an hour"


@dataclass(frozen=True, kw_only=True)
class Origin:
    """The call that brought a file."""

    tool: Tool
    connection: Connection


def store(*, member: Member, name: str, media_type: str, data: bytes, origin: Origin | None = None) -> StoredFile:
    """Keeps a file of the member. Raises QuotaExceeded.

    Not atomic, by design: writing to another server must not hold the lock on the member.
    """
    file = StoredFile(
        member=member,
        connector=origin.tool.connector if origin else None,
        tool=origin.tool.name if origin else "",
        connection=origin.connection if origin else None,
        name=safe(name) or "file",
        media_type=media_types.named(media_type),
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        expires_at=timezone.now() + timedelta(seconds=settings.FILE_SECONDS),
    )
    file.content.save(file.pk.hex, ContentFile(data), save=False)
    try:
        _enter(file)
    except BaseException:
        file.content.storage.delete(file.content.name or "")
        raise
    return file


@transaction.atomic
def _enter(file: StoredFile) -> None:
    # Two files that come at once would both find the room that is left.
    Member.objects.select_for_update(of=("self",), no_key=True).get(pk=file.member_id)
    kept = StoredFile.objects.filter(member=file.member_id, expires_at__gt=timezone.now())
    used = kept.aggregate(total=Sum("size"))["total"] or 0
    if used + file.size > settings.FILE_BYTES_PER_MEMBER:
        raise QuotaExceeded(used, settings.FILE_BYTES_PER_MEMBER)
    file.full_clean(exclude=["content"])
    file.save(force_insert=True)


def remove(file: StoredFile) -> None:
    """The row with the surrounding transaction, the content once that has committed."""
    storage, name = file.content.storage, file.content.name or ""
    file.delete()
    transaction.on_commit(lambda: storage.delete(name))


def sweep(now: datetime) -> None:
    """Lets go of files whose time is over, and of contents that no row leads to."""
    for file in StoredFile.objects.filter(expires_at__lte=now).iterator():
        remove(file)
    storage = StoredFile._meta.get_field("content").storage
    for name in list(_contents(storage, _FOLDER)):
        if now - storage.get_modified_time(name) > _WITHOUT_ROW and not _has_row(name):
            storage.delete(name)


def _has_row(name: str) -> bool:
    """A content's name ends in its file's id."""
    try:
        pk = UUID(PurePosixPath(name).name)
    except ValueError:
        return False
    return StoredFile.objects.filter(pk=pk).exists()


def _contents(storage: Storage, folder: str) -> Iterator[str]:
    try:
        folders, names = storage.listdir(folder)
    except FileNotFoundError:
        return
    yield from (f"{folder}/{name}" for name in names)
    for inner in folders:
        yield from _contents(storage, f"{folder}/{inner}")
