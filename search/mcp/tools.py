"""The entries of tools/list, and what answers a call.

Each source lists its own and runs its own. Connected tools are run by the same source as our operations and are listed
by none: `search_tools` finds them.
"""

from collections.abc import Iterable
from typing import Any, Protocol

from accesscontrol.caller import Caller
from accesscontrol.operation import input_schema, registry
from search.calling import call_tool
from search.mcp import meta_tools
from search.mcp.entries import short
from search.mcp.results import ToolResult, success
from search.pool import pool_of

type Definition = dict[str, Any]


class Source(Protocol):
    def definitions(self, caller: Caller) -> Iterable[Definition]:
        """What tools/list shows this caller, in a fixed order."""
        ...

    def call(self, caller: Caller, name: str, arguments: dict[str, Any]) -> ToolResult | None:
        """None where the name is not of this source. Raises UnknownTool and Refusal."""
        ...


class MetaTools:
    def definitions(self, caller: Caller) -> Iterable[Definition]:
        return meta_tools.definitions(pool_of(caller))

    def call(self, caller: Caller, name: str, arguments: dict[str, Any]) -> ToolResult | None:
        return success(meta_tools.run(caller, name, arguments)) if name in meta_tools.NAMES else None


class OperationsAndConnectedTools:
    """The last source: no name is foreign to it."""

    def definitions(self, caller: Caller) -> Iterable[Definition]:
        for operation in registry:
            if operation.admits(caller):
                yield {
                    "name": operation.name,
                    "description": operation.description,
                    "inputSchema": short(input_schema(operation.input)),
                    "annotations": dict(operation.annotations),
                }

    def call(self, caller: Caller, name: str, arguments: dict[str, Any]) -> ToolResult | None:
        return success(call_tool(caller, name, arguments))


sources: list[Source] = [MetaTools(), OperationsAndConnectedTools()]


def definitions(caller: Caller) -> list[Definition]:
    return [definition for source in sources for definition in source.definitions(caller)]


def call(caller: Caller, name: str, arguments: dict[str, Any]) -> ToolResult:
    """Raises UnknownTool and Refusal."""
    answers = (source.call(caller, name, arguments) for source in sources)
    return next(answer for answer in answers if answer is not None)
