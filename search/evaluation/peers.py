"""Other rankers over the same documents: bm25s, SQLite's FTS5 and FastMCP's search transform.

Each is used as its documentation shows, with no settings of ours. bm25s and FastMCP are optional. SQLite comes
with Python, but not every build of it has FTS5.
"""

import asyncio
import importlib.util
import logging
import re
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any

from search.evaluation.exceptions import PeerNotInstalledError
from search.evaluation.rankers import Ranked, Ranker
from search.evaluation.workspaces import Connector
from search.ranking import ToolDocument

FASTMCP_SEARCH, FASTMCP_TOOL = "fastmcp.server.transforms.search", "fastmcp.tools.base"
FASTMCP_RESULTS = 10
FASTMCP_NAME_LENGTH = 200


class Bm25s:
    """Name, label, description and parameters as one text; tools that share no word with the query score 0."""

    def __init__(self, documents: Sequence[ToolDocument]) -> None:
        self._keys = [str(document.key) for document in documents]
        self._index = import_module("bm25s").BM25()
        _quieten("bm25s")  # It asks for DEBUG when it is imported.
        texts = [words(_whole_text(document)) for document in documents]
        self._empty = not any(texts)
        if not self._empty:
            self._index.index(texts, show_progress=False)

    def search(self, query: str, limit: int) -> list[Ranked]:
        if self._empty:
            return []
        limit = min(limit, len(self._keys))
        numbers, scores = self._index.retrieve([words(query)], k=limit, show_progress=False)
        found = zip(numbers[0].tolist(), scores[0].tolist(), strict=True)
        return [Ranked(self._keys[number], score) for number, score in found if score > 0]


class Fts5:
    """A `porter` table of names (with labels) and descriptions, any of the query's words, ranked by `bm25`."""

    def __init__(self, documents: Sequence[ToolDocument]) -> None:
        self._database = sqlite3.connect(":memory:")
        self._database.execute(
            "CREATE VIRTUAL TABLE tool USING fts5(key UNINDEXED, name, description, tokenize = 'porter')"
        )
        self._database.executemany("INSERT INTO tool VALUES (?, ?, ?)", map(_fts5_row, documents))

    def __del__(self) -> None:
        self._database.close()

    def search(self, query: str, limit: int) -> list[Ranked]:
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(words(query)))
        if not match:
            return []
        statement = "SELECT key, -rank FROM tool WHERE tool MATCH ? ORDER BY rank LIMIT ?"
        return [Ranked(*row) for row in self._database.execute(statement, (match, limit))]


class FastMcp:
    """`BM25SearchTransform`, asked as its own `search_tools` asks it. It gives an order and no scores."""

    def __init__(self, documents: Sequence[ToolDocument]) -> None:
        search = import_module(FASTMCP_SEARCH)
        self._transform = search.BM25SearchTransform(max_results=FASTMCP_RESULTS)
        _quieten("mcp.shared.tool_name_validation")  # Seven lines for each name with a space or a slash.
        self._tools = [_fastmcp_tool(number, document) for number, document in enumerate(documents)]
        self._keys = {tool.name: str(document.key) for tool, document in zip(self._tools, documents, strict=True)}

    def search(self, query: str, limit: int) -> list[Ranked]:
        found = asyncio.run(self._transform._search(self._tools, query))
        return [Ranked(self._keys[tool.name], 0.0) for tool in found[:limit]]


class PeerFactory:
    knows_labels = False
    cuts: tuple[float, ...] = ()

    def __init__(self, name: str, make: Callable[[Sequence[ToolDocument]], Ranker], *needs: str, scores: bool) -> None:
        """`needs`: the modules that it takes."""
        self.name = name
        self._make, self._needs, self._scores = make, needs, scores

    def read(self, connectors: Iterable[Connector]) -> None:
        """Nothing: their indexes cannot be put together from parts."""

    def build(self, connectors: Sequence[Connector], known_labels: Sequence[str] = ()) -> Ranker:
        return self._make([document for connector in connectors for document in connector.documents])

    def without_floor(self) -> "PeerFactory | None":
        return self if self._scores else None

    def is_installed(self) -> bool:
        found = all(importlib.util.find_spec(module.split(".")[0]) for module in self._needs)
        return found and (self._make is not Fts5 or _has_fts5())

    def load(self) -> None:
        """Import it, so that this is part of no measurement. Raises PeerNotInstalledError."""
        if not self.is_installed():
            raise PeerNotInstalledError(self.name)
        for module in self._needs:
            import_module(module)


PEERS = {
    "bm25s": PeerFactory("bm25s", Bm25s, "bm25s", scores=True),
    "fts5": PeerFactory("fts5", Fts5, "sqlite3", scores=True),
    "fastmcp": PeerFactory("fastmcp", FastMcp, FASTMCP_SEARCH, FASTMCP_TOOL, scores=False),
}


def installed_peers() -> tuple[str, ...]:
    return tuple(name for name, peer in PEERS.items() if peer.is_installed())


def peer(name: str) -> PeerFactory:
    """Raises PeerNotInstalledError."""
    PEERS[name].load()
    return PEERS[name]


def words(text: str) -> list[str]:
    """What the peers that bring no tokenizer of their own are given: ASCII words, split at camelCase."""
    return re.findall("[a-z0-9]+", re.sub("(?<=[a-z0-9])(?=[A-Z])", " ", text).lower())


def _quieten(logger: str) -> None:
    logging.getLogger(logger).setLevel(logging.ERROR)


def _whole_text(document: ToolDocument) -> str:
    parts = (document.name, document.connector_label, document.description, *document.parameters)
    return " ".join(parts)


def _fts5_row(document: ToolDocument) -> tuple[str, str, str]:
    name = words(f"{document.connector_label} {document.name}")
    return str(document.key), " ".join(name), document.description


def _fastmcp_tool(number: int, document: ToolDocument) -> Any:
    properties = {name: {"type": "string"} for name in document.parameters}
    return import_module(FASTMCP_TOOL).Tool(
        name=f"{document.name}__{number}"[:FASTMCP_NAME_LENGTH],
        description=f"{document.connector_label} {document.description}",
        parameters={"type": "object", "properties": properties},
    )


def _has_fts5() -> bool:
    with sqlite3.connect(":memory:") as database:
        found = database.execute("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'").fetchone()
    database.close()
    return found is not None
