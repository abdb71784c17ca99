"""Cursors of a search: opaque, signed, and bound to the member, the question and the state of the pool."""

from hashlib import sha256

from django.core import signing

from accesscontrol.caller import Caller
from accesscontrol.exceptions import InvalidArguments, Problem

_SALT = "elaichi.search.cursor"


def write(caller: Caller, question: str, offset: int) -> str:
    """A cursor to the rows of this question from `offset` on."""
    return signing.dumps([str(caller.member.pk), caller.version, _digest(question), offset], salt=_SALT)


def read(caller: Caller, question: str, cursor: str) -> int:
    """The offset, 0 for an empty cursor. Raises InvalidArguments where the cursor is not for this, or not any more."""
    if not cursor:
        return 0
    try:
        member, version, digest, offset = signing.loads(cursor, salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError):
        raise _refused("is not one that this search returned") from None
    if member != str(caller.member.pk) or digest != _digest(question):
        raise _refused("belongs to another search")
    if version != caller.version:
        raise _refused("is out of date, since what you can reach has changed")
    return int(offset)


def _refused(why: str) -> InvalidArguments:
    return InvalidArguments([Problem("cursor", f"{why}; leave it out and search again")])


def _digest(question: str) -> str:
    return sha256(question.encode()).hexdigest()[:16]
