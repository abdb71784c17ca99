"""Links to files: signed, for an hour, and for the member and the grant that they were handed to.

Whoever holds one needs no sign-in, as clients and their browsers do not share one. So it opens only while that grant
and all that led to the file still stand.
"""

from datetime import timedelta
from typing import Any
from urllib.parse import quote
from uuid import UUID

from django.conf import settings
from django.core import signing
from django.utils import timezone

from accesscontrol import audit
from accesscontrol.caller import Caller
from accesscontrol.exceptions import NotFound, Refusal
from accesscontrol.models import Surface
from accesscontrol.permissions import Scope
from accesscontrol.services.grants import renew
from connectors.files.access import require_open
from connectors.models import StoredFile


class LinkOver(Refusal):
    code = "link_expired"

    def __init__(self) -> None:
        super().__init__("This link is over. Ask for the file again.")


def described(caller: Caller, file: StoredFile) -> dict[str, Any]:
    """What a result says of a file: JSON values, with a link for this caller."""
    link_ends = timezone.now() + timedelta(seconds=settings.FILE_LINK_SECONDS)
    return {
        "id": str(file.pk),
        "name": file.name,
        "media_type": file.media_type,
        "size": file.size,
        "url": _url(caller, file),
        "url_expires_at": min(link_ends, file.expires_at).isoformat(timespec="seconds"),
        "expires_at": file.expires_at.isoformat(timespec="seconds"),
    }


def open_link(token: str) -> StoredFile:
    """The file behind a link, if it may be opened at this moment; recorded either way.

    Raises NotFound for a link that is not ours or whose file is gone, LinkOver, and Refusal for what has been taken
    away since the link was made.
    """
    pk, grant = _read(token)
    found = StoredFile.objects.select_related("member__organization", "connector", "connection__connector")
    file = found.filter(pk=pk).first()
    if file is None:
        raise NotFound("file")
    if file.expires_at <= timezone.now():
        raise LinkOver
    holder = _holder(file, grant)
    with audit.call(holder, action="file.open", target=f"file:{file.pk}") as entry:
        entry.connection = str(file.connection or "")
        require_open(renew(holder), file)
    return file


def _url(caller: Caller, file: StoredFile) -> str:
    token = _signer().sign_object([file.pk.hex, caller.grant_id.hex if caller.grant_id else ""])
    return f"{settings.PUBLIC_URL}/files/{token}/{quote(file.name, safe='')}"


def _read(token: str) -> tuple[UUID, UUID | None]:
    try:
        pk, grant = _signer().unsign_object(token, max_age=settings.FILE_LINK_SECONDS)
    except signing.SignatureExpired:
        raise LinkOver from None
    except signing.BadSignature:
        raise NotFound("file") from None
    return UUID(pk), UUID(grant) if grant else None


def _holder(file: StoredFile, grant: UUID | None) -> Caller:
    """Who the link was handed to; what they may now is for `renew` to say."""
    member = file.member
    version = member.organization.version
    return Caller(member=member, version=version, scopes=frozenset(Scope), surface=Surface.API, grant_id=grant)


def _signer() -> signing.TimestampSigner:
    # A dot stands in a path as it is.
    return signing.TimestampSigner(salt="connectors.files.links", sep=".")
