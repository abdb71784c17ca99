"""Pages of a list, continued by a signed cursor."""

from typing import Any

from django.core import signing
from django.db.models import Model, QuerySet
from pydantic import Field

from accesscontrol.exceptions import InvalidArguments, Problem
from accesscontrol.operation import OperationInput

_SALT = "elaichi.operation.cursor"


class InvalidCursor(InvalidArguments):
    def __init__(self) -> None:
        super().__init__([Problem("cursor", "does not belong to this list; leave it out to start from the first page")])


class PageInput(OperationInput):
    """The arguments of every list."""

    limit: int = Field(default=50, ge=1, le=200, description="At most this many.")
    cursor: str = Field(default="", max_length=300, description="From `next_cursor`, to continue a list.")


def page[ModelT: Model](rows: QuerySet[ModelT], asked: PageInput, *, name: str) -> tuple[list[ModelT], dict[str, str]]:
    """A page of rows in primary-key order, and what to add to the answer: `next_cursor` where there is more.

    `name` binds a cursor to its list. Raises InvalidCursor.
    """
    rows = rows.order_by("pk")
    if asked.cursor:
        rows = rows.filter(pk__gt=_read(asked.cursor, name))
    found = list(rows[: asked.limit + 1])
    if len(found) <= asked.limit:
        return found, {}
    found = found[: asked.limit]
    return found, {"next_cursor": signing.dumps([name, str(found[-1].pk)], salt=_SALT)}


def _read(cursor: str, name: str) -> Any:
    try:
        bound_to, key = signing.loads(cursor, salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise InvalidCursor from error
    if bound_to != name:
        raise InvalidCursor
    return key
