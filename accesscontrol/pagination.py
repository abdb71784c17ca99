"""Pages of a list, continued by a signed cursor."""

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any

from django.core import signing
from django.db.models import Model, Q, QuerySet
from pydantic import Field

from accesscontrol.exceptions import InvalidArguments, Problem
from accesscontrol.operation import OperationInput

_SALT = "elaichi.operation.cursor"


class InvalidCursor(InvalidArguments):
    def __init__(self) -> None:
        super().__init__([Problem("cursor", "does not belong to this list; leave it out to start from the first page")])


class PageInput(OperationInput):
    """The arguments of every list."""

    limit: int = Field(default=50, ge=1, le=200)
    cursor: str = Field(default="", max_length=300)


class SearchedPageInput(PageInput):
    """Of a list in which a reader looks for something: `q` keeps the rows that hold it, case aside."""

    q: str = Field(default="", max_length=100)


def page[ModelT: Model](
    rows: QuerySet[ModelT], asked: PageInput, *, name: str, fields: Sequence[str] = ()
) -> tuple[list[ModelT], dict[str, str]]:
    """A page of rows in primary-key order, and what to add to the answer: `next_cursor` where there is more.

    `name` binds a cursor to its list; `fields` are the ones that `q` is looked for in. Raises InvalidCursor.
    """
    rows = rows.order_by("pk")
    if isinstance(asked, SearchedPageInput) and asked.q:
        rows = rows.filter(reduce(or_, (Q(**{f"{field}__icontains": asked.q}) for field in fields), Q()))
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
