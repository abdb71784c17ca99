"""The records of one account of one product, in memory."""

import itertools
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

from elaichi.sandbox.wire import Record, RefusalError, not_found

type Key = str | int

_FIRST_MOMENT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class Table:
    """Records of one kind by their id, in the order in which they were added."""

    def __init__(self, noun: str, *, prefix: str = "", first: int = 1) -> None:
        self.noun = noun
        self._prefix = prefix
        self._numbers = itertools.count(first)
        self._records: dict[Key, Record] = {}

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records.values())

    def add(self, record: Record) -> Record:
        number = next(self._numbers)
        key: Key = f"{self._prefix}{number}" if self._prefix else number
        self._records[key] = {"id": key} | record
        return self._records[key]

    def get(self, key: Key) -> Record:
        if key not in self._records:
            raise not_found(self.noun, key)
        return self._records[key]

    def must_hold(self, key: Key) -> None:
        """Refuse a body that refers to a record which is not there."""
        if key not in self._records:
            raise RefusalError(422, f"there is no {self.noun} {key}")

    def delete(self, key: Key) -> None:
        self.get(key)
        del self._records[key]

    def delete_where(self, field: str, value: object) -> None:
        for key in [key for key, record in self._records.items() if record[field] == value]:
            del self._records[key]


class Clock:
    """Times that are the same in every run: each asks for the next minute."""

    def __init__(self) -> None:
        self._minutes = itertools.count()

    def next(self) -> str:
        return (_FIRST_MOMENT + timedelta(minutes=next(self._minutes))).isoformat()


def has_words(text: str, *fields: str | None) -> bool:
    """Whether every word of the text stands somewhere in the fields, in any letter case."""
    hay = " ".join(field or "" for field in fields).casefold()
    return all(word in hay for word in text.casefold().split())


def matching(records: Iterable[Record], **wanted: object) -> list[Record]:
    """The records whose fields have the wanted values; a value of None does not narrow."""
    narrowed = {field: value for field, value in wanted.items() if value is not None}
    return [record for record in records if all(record[field] == value for field, value in narrowed.items())]
