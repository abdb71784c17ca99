"""How a tool of a remote MCP server is called: by its name there, at the connector's own address."""

from dataclasses import asdict, dataclass
from typing import Any, Self

KIND = "mcp"


@dataclass(frozen=True, kw_only=True)
class McpBinding:
    """`kind` tells its JSON from that of an HTTP operation, which has none."""

    tool: str
    """The name as the server spells it."""
    protocol_version: str = ""
    """What the server spoke when its catalog was read; a call begins in that era, without asking again."""
    kind: str = KIND

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The inverse of `to_json`. Raises TypeError for a binding of another kind."""
        return cls(**data)
