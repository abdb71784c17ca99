"""The two ways to every connected tool: find it with `search_tools`, run it with `execute_tool`."""

from typing import Any, Literal

from pydantic import Field

from accesscontrol.caller import Caller
from accesscontrol.operation import OperationInput, input_schema, parse_input
from connectors.execution.results import Result
from search import query_log
from search.calling import call_tool
from search.mcp import cards
from search.mcp.entries import short
from search.pool import Pool
from search.service import DEFAULT_LIMIT, MAX_LIMIT, Detail, Question, search_tools

SEARCH = "search_tools"
EXECUTE = "execute_tool"
NAMES = (SEARCH, EXECUTE)


class SearchInput(OperationInput):
    query: str = Field(description="A few words: action, thing, app.")
    limit: int = Field(default=DEFAULT_LIMIT, ge=1, le=MAX_LIMIT)
    cursor: str = Field(default="", max_length=400, description="From next_cursor.")
    detail: Literal["full", "summary"] = Field(default="full", description="summary leaves out schemas.")
    toolbox: str = Field(default="", max_length=100, description="Only its tools.")


class ExecuteInput(OperationInput):
    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)


# Every model reads it with the list, so it names what a client could rely on and leaves the rest open.
SEARCH_OUTPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "result": {"type": "array", "items": {"type": "object"}},
        "next_cursor": {"type": "string"},
    },
}


def definitions(pool: Pool) -> list[dict[str, Any]]:
    """Their entries in tools/list; none where there is nothing to find."""
    if not pool.tools and not pool.restricted:
        return []
    apps = ", ".join(pool.app_labels) or "none"
    return [
        {
            "name": SEARCH,
            "description": (
                f"Find tools of the connected apps ({apps}), best first, each with its input_schema; run one with "
                "execute_tool. An empty list means that no connected tool does this: rephrase, or say so. Rows marked "
                "restricted cannot be run."
            ),
            "inputSchema": short(input_schema(SearchInput), unsaid=frozenset()),
            "outputSchema": SEARCH_OUTPUT_SCHEMA,
            "annotations": _annotations(read_only=True),
            "_meta": cards.shown_by("search"),
        },
        {
            "name": EXECUTE,
            "description": "Run a tool: the name that search_tools returned, and arguments that fit its input_schema.",
            "inputSchema": short(input_schema(ExecuteInput)),
            "annotations": _annotations(read_only=False),
            "_meta": cards.shown_by("call"),
        },
    ]


def run(caller: Caller, name: str, arguments: dict[str, Any]) -> Result:
    """Raises Refusal; for `execute_tool`, whatever a direct call of the named tool raises."""
    if name == SEARCH:
        asked = parse_input(SearchInput, arguments)
        found = search_tools(
            caller,
            Question(
                query=asked.query,
                limit=asked.limit,
                cursor=asked.cursor,
                detail=Detail(asked.detail),
                toolbox=asked.toolbox,
            ),
        )
        query_log.note_search(caller, asked.query, found)
        return Result(value=found)
    wanted = parse_input(ExecuteInput, arguments)
    return call_tool(caller, wanted.name, wanted.arguments)


def _annotations(*, read_only: bool) -> dict[str, bool]:
    return {
        "readOnlyHint": read_only,
        "destructiveHint": not read_only,
        "idempotentHint": read_only,
        "openWorldHint": not read_only,
    }
