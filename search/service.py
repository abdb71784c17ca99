"""One search: the caller's pool, ranked for a query, as the structured content of `search_tools`."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from accesscontrol.caller import Caller
from accesscontrol.exceptions import HOW_TO_ASK
from connectors.curation.advertised import AdvertisedTool
from connectors.curation.merging import schema_for
from connectors.models import Tool
from search.notes import empty_note
from search.pool import Pool, RestrictedTool, index_of, pool_of
from search.ranking import SearchResult

DEFAULT_LIMIT = 10
MAX_LIMIT = 50


def search_tools(
    caller: Caller, query: str, *, limit: int = DEFAULT_LIMIT, profile: str | None = None
) -> dict[str, Any]:
    """What the caller's model is shown: callable rows best first, then restricted ones, which carry no schema.

    A row appears only if its tool cleared the floor. `limit` bounds the callable rows and the restricted ones alike.
    `profile` names another ranking rule than the one in use.
    """
    pool = pool_of(caller)
    index = index_of(pool, profile)
    found = index.search(query, limit=limit)
    withheld = index.search_restricted(query, limit=limit)
    schemas = _schemas(caller, (pool.tools[str(hit.document.key)].tool_id for hit in found.hits))
    answer: dict[str, Any] = {
        "result": [
            *(_row(pool.tools[str(hit.document.key)], schemas) for hit in found.hits),
            *(_restricted_row(pool.restricted[str(hit.document.key)]) for hit in withheld.hits),
        ],
        "matched": found.matched,
        "total_tools": len(pool.tools),
        "restricted_count": withheld.matched,
    }
    note = _note(pool, found)
    return {**answer, "note": note} if note else answer


def _schemas(caller: Caller, tool_ids: Iterable[UUID]) -> dict[UUID, dict[str, Any]]:
    rows = Tool.objects.of(caller.organization).filter(pk__in=list(tool_ids))
    return dict(rows.values_list("pk", "input_schema"))


def _row(tool: AdvertisedTool, schemas: dict[UUID, dict[str, Any]]) -> dict[str, Any]:
    row = {
        "name": tool.name,
        "description": tool.description,
        "input_schema": schema_for(tool, schemas.get(tool.tool_id, {"type": "object"})),
        "annotations": dict(tool.annotations),
        "connector_label": tool.connector_label,
    }
    return {**row, "connections": [account.label for account in tool.accounts]} if tool.merged else row


def _restricted_row(tool: RestrictedTool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "connector_label": tool.connector_label,
        "restricted": {
            "by": tool.decision.layer,
            "scope": tool.decision.scope,
            "request_access": HOW_TO_ASK,
        },
    }


def _note(pool: Pool, found: SearchResult) -> str:
    said = []
    if not found.hits:
        said.append(
            empty_note(
                total_tools=len(pool.tools),
                unmatched=found.unmatched_terms,
                connectable=found.named_elsewhere,
                unknown_apps=found.named_products,
            )
        )
    if found.cut:
        said.append("The query was too long: only its beginning was read.")
    return " ".join(said)
