"""Tools and labelled queries, read from JSON Lines.

A tool: `key`, `name` and `app`; optional `description`, `label` (how its app's brand is written; else `app`),
`parameters` (names) and `pool`. A query: `query`, `set` and `kind`; unless its kind is *offtopic* or *unlabelled*, also
`app` and `gold` (the keys of the right tools); optional `pool`. Tools and queries of different pools never meet. Other
fields are ignored.
"""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from search.evaluation.exceptions import DatasetError, EvaluationError, UnknownChoiceError
from search.ranking import ToolDocument


class Kind(StrEnum):
    NAMED = "named"
    """The query names its app, so it is also asked where that app is not connected."""
    UNNAMED = "unnamed"
    OFFTOPIC = "offtopic"
    """Nothing in the pool serves it."""
    UNLABELLED = "unlabelled"
    """Nobody knows what is right for it: all it can tell is whether anything comes."""

    @property
    def has_app(self) -> bool:
        return self in (Kind.NAMED, Kind.UNNAMED)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledTool:
    document: ToolDocument
    app: str
    pool: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledQuery:
    set: str
    query: str
    kind: Kind
    app: str
    gold: frozenset[str]
    pool: str


class _FieldError(Exception):
    pass


def load_tools(path: Path) -> list[LabelledTool]:
    """Raises DatasetError: no such file, a line that is no tool, a key that stands twice, no tools."""
    tools = list(_read(path, _tool))
    keys = Counter(tool.document.key for tool in tools)
    twice = next((key for key, count in keys.items() if count > 1), None)
    if twice is not None:
        raise DatasetError(path, f"the key {twice!r} stands {keys[twice]} times")
    if not tools:
        raise DatasetError(path, "it holds no tools")
    return tools


def load_queries(path: Path) -> list[LabelledQuery]:
    """Raises DatasetError: no such file, a line that is no query, no queries."""
    queries = list(_read(path, _query))
    if not queries:
        raise DatasetError(path, "it holds no queries")
    return queries


def select(queries: Iterable[LabelledQuery], *, sets: Collection[str] = (), limit: int = 0) -> list[LabelledQuery]:
    """The queries of some sets (of all, if none is named), at most `limit` a set (0: all).

    Raises UnknownChoiceError.
    """
    queries = list(queries)
    known = {query.set for query in queries}
    for name in sets:
        if name not in known:
            raise UnknownChoiceError("set", name, known)
    seen: Counter[str] = Counter()
    chosen = []
    for query in queries:
        seen[query.set] += 1
        if (not sets or query.set in sets) and (not limit or seen[query.set] <= limit):
            chosen.append(query)
    return chosen


def answerable_here(queries: Iterable[LabelledQuery], tools: Iterable[LabelledTool]) -> tuple[list[LabelledQuery], int]:
    """The queries whose pool, and whose app if they have one, has tools; and how many were left out.

    Raises EvaluationError when none is left.
    """
    apps = {(tool.pool, tool.app) for tool in tools}
    pools = {pool for pool, _ in apps}
    queries = list(queries)
    kept = [q for q in queries if ((q.pool, q.app) in apps if q.kind.has_app else q.pool in pools)]
    if not kept:
        raise EvaluationError("No query is left: the tools hold the app of none of them.")
    return kept, len(queries) - len(kept)


def _read[T](path: Path, parse: Callable[[dict[str, Any]], T]) -> Iterator[T]:
    for number, line in _lines(path):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise DatasetError(path, f"not JSON ({error})", line=number) from None
        if not isinstance(row, dict):
            raise DatasetError(path, "not a JSON object", line=number)
        try:
            yield parse(row)
        except _FieldError as error:
            raise DatasetError(path, str(error), line=number) from None


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open(encoding="utf-8") as file:
            yield from ((number, line) for number, line in enumerate(file, 1) if line.strip())
    except OSError as error:
        raise DatasetError(path, (error.strerror or str(error)).lower()) from None
    except UnicodeDecodeError:
        raise DatasetError(path, "not UTF-8 text") from None


def _tool(row: dict[str, Any]) -> LabelledTool:
    app = _text(row, "app")
    document = ToolDocument(
        key=_text(row, "key"),
        name=_text(row, "name"),
        description=_text(row, "description", default=""),
        connector_label=_text(row, "label", default=app),
        parameters=_texts(row, "parameters"),
    )
    return LabelledTool(document=document, app=app, pool=_text(row, "pool", default=""))


def _query(row: dict[str, Any]) -> LabelledQuery:
    kind = _kind(row)
    gold = frozenset(_texts(row, "gold"))
    if not gold and kind.has_app:
        raise _FieldError("`gold` names no tool, and the query's kind is neither offtopic nor unlabelled")
    return LabelledQuery(
        set=_text(row, "set"),
        query=_text(row, "query"),
        kind=kind,
        app=_text(row, "app", default=None if kind.has_app else ""),
        gold=gold,
        pool=_text(row, "pool", default=""),
    )


def _kind(row: dict[str, Any]) -> Kind:
    try:
        return Kind(_text(row, "kind"))
    except ValueError:
        raise _FieldError(f"`kind` is none of {', '.join(Kind)}") from None


def _text(row: dict[str, Any], field: str, default: str | None = None) -> str:
    value = row.get(field, default)
    if value is None:
        raise _FieldError(f"`{field}` is missing")
    if not isinstance(value, str):
        raise _FieldError(f"`{field}` is not a string")
    return value


def _texts(row: dict[str, Any], field: str) -> tuple[str, ...]:
    value = row.get(field, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _FieldError(f"`{field}` is not a list of strings")
    return tuple(value)
