"""What a caller sees of a tool: a name, a description, a schema, and the accounts it leads to."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from accesscontrol.policy import ToolRef


@dataclass(frozen=True, kw_only=True)
class Account:
    """One of the caller's active connections, as a choice: its label is unique among the caller's of that connector."""

    connection_id: UUID
    label: str


@dataclass(frozen=True, kw_only=True)
class AdvertisedTool:
    """One entry of a caller's pool.

    The schema is not here: a pool may hold ten thousand tools and an answer shows ten, so it is read by `tool_id` for
    those that are shown or called, and passes `curation.merging.schema_for`.
    """

    name: str
    ref: ToolRef
    tool_id: UUID
    connector_label: str
    description: str
    parameters: tuple[str, ...]
    annotations: Mapping[str, Any]
    accounts: tuple[Account, ...]

    @property
    def merged(self) -> bool:
        return len(self.accounts) > 1
