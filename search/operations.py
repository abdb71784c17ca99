"""The operation that says why a search found a tool, or did not."""

from typing import Any

from pydantic import Field

from accesscontrol.caller import Caller
from accesscontrol.operation import Operation, OperationInput, registry
from accesscontrol.permissions import Permission, Scope
from search import explanation


class ExplainInput(OperationInput):
    query: str = Field(min_length=1)
    tool: str = Field(default="", max_length=100, description="To hear why not this one.")


def explain(caller: Caller, asked: ExplainInput) -> dict[str, Any]:
    return explanation.account(caller, asked.query, tool=asked.tool.strip())


registry.register(
    Operation(
        domain="search",
        verb="explain",
        title="Explain a search",
        description="Why search_tools found a tool, or not.",
        input=ExplainInput,
        permission=Permission.CONNECTOR_MANAGE,
        scope=Scope.TOOLS,
        run=explain,
    )
)
