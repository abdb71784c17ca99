"""What a tool's HTTP method says about its effects, as MCP's annotations."""

from typing import Any

_SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
_IDEMPOTENT = _SAFE | {"PUT", "DELETE"}


def annotations(method: str, title: str) -> dict[str, Any]:
    """All five, always: a client takes a missing one for the worst."""
    return {
        "title": title,
        "readOnlyHint": method in _SAFE,
        "destructiveHint": method == "DELETE",
        "idempotentHint": method in _IDEMPOTENT,
        "openWorldHint": True,
    }
