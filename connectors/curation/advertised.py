"""What a caller sees of a tool: a name, a description, a schema, and the accounts it leads to."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from accesscontrol.policy import ToolRef


@dataclass(frozen=True, kw_only=True, slots=True)
class Account:
    """An active account, as a choice: its label is unique among those that the tool may run through."""

    connection_id: UUID
    label: str


@dataclass(frozen=True, kw_only=True, slots=True)
class FrozenValues:
    """What makes a frozen tool of a tool, and which toolbox it came out of.

    `note` ends its description. A pinned one runs through accounts that need not be within the caller's own reach.
    """

    id: UUID
    toolbox_id: UUID
    toolbox: str
    has_skill: bool
    fixed: Mapping[str, Any]
    defaults: Mapping[str, Any]
    note: str
    pinned: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolEntry:
    """A tool as everybody who reaches it has it, without its schema.

    A pool may hold ten thousand tools and an answer shows ten, so schemas are read by `tool_id` for those that are
    shown or called.
    """

    tool_id: UUID
    ref: ToolRef
    advertised_name: str
    description: str
    parameters: tuple[str, ...]
    connection_argument: str
    annotations: Mapping[str, Any]
    frozen: FrozenValues | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class AdvertisedTool:
    """A tool as one caller has it: under which name, and through which accounts.

    Its schema is what `curation.merging.schema_for` makes of the stored one.
    """

    name: str
    entry: ToolEntry
    connector_label: str
    accounts: tuple[Account, ...]

    @property
    def ref(self) -> ToolRef:
        return self.entry.ref

    @property
    def tool_id(self) -> UUID:
        return self.entry.tool_id

    @property
    def annotations(self) -> Mapping[str, Any]:
        return self.entry.annotations

    @property
    def merged(self) -> bool:
        return len(self.accounts) > 1
