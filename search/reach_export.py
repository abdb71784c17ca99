"""The reach report as lines of a file: JSON for programs, CSV for spreadsheets."""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import QuerySet

from search.models import ReachRow

_CHUNK = 2_000
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
COLUMNS = (
    "organization",
    "applied_at",
    "member",
    "connector",
    "connection",
    "account",
    "account_of",
    "toolbox",
    "tool",
)


def records(rows: QuerySet[ReachRow]) -> Iterator[dict[str, Any]]:
    """One for each member and connection, read as it is asked for."""
    for row in rows.select_related("organization", "member__user").iterator(chunk_size=_CHUNK):
        home = row.organization
        yield {
            "organization": home.slug,
            "applied_at": home.applied_at.isoformat() if home.applied_at else None,
            "member": row.member.user.email,
            "connector": row.connector,
            "connection": str(row.connection),
            "account": row.label,
            "account_of": row.owner,
            "toolbox": row.toolbox,
            "tools": row.tools,
        }


def json_lines(rows: QuerySet[ReachRow]) -> Iterator[str]:
    """One object a line: a member, a connection, and the tools reached through it."""
    return (json.dumps(record, ensure_ascii=False) + "\n" for record in records(rows))


def csv_lines(rows: QuerySet[ReachRow]) -> Iterator[str]:
    """A heading, then one line a tool."""
    yield _csv(COLUMNS)
    for record in records(rows):
        tools = record.pop("tools")
        yield "".join(_csv((*record.values(), tool)) for tool in tools)


def _csv(values: Iterable[Any]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(_harmless(value) for value in values)
    return line.getvalue()


def _harmless(value: Any) -> Any:
    """People name their accounts; a name that a spreadsheet would run as a formula is made a text."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
