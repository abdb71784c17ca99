"""One search: the caller's pool, ranked for a query, as the structured content of `search_tools`."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

from accesscontrol.caller import Caller
from accesscontrol.exceptions import how_to_ask
from accesscontrol.policy import Scope, ToolRef
from connectors.curation.advertised import AdvertisedTool
from connectors.curation.merging import describe, schema_for
from connectors.curation.trimming import MAX_BYTES as MAX_SCHEMA_BYTES
from connectors.curation.trimming import size_of, trimmed
from connectors.frozen_reach import toolbox_named
from connectors.models import Tool
from search import cursors
from search.budget import allowances
from search.notes import Outcome, note
from search.pool import Pool, index_of, pool_of
from search.ranking import Hit
from search.shelves import RestrictedTool

DEFAULT_LIMIT = 10
MAX_LIMIT = 50
MAX_BYTES = 23_000
"""Of an answer of up to ten rows; one of more rows may be as much larger. A model reads it whole."""
SKILL_URI = "elaichi://toolbox/{}/skill"
"""The resource that holds a toolbox's instructions, by its id."""


class Detail(StrEnum):
    """`full` rows carry the schema that a call needs; `summary` rows only say what there is."""

    FULL = "full"
    SUMMARY = "summary"


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked; the cursor of a further page is bound to all of it but `limit`.

    `toolbox` is the name or id of one that the caller reaches: only its tools are ranked then. `profile` names another
    ranking rule than the one in use.
    """

    query: str
    limit: int = DEFAULT_LIMIT
    cursor: str = ""
    detail: Detail = Detail.FULL
    toolbox: str = ""
    profile: str | None = None

    @property
    def identity(self) -> str:
        return json.dumps([self.profile, self.detail, self.toolbox, self.query])


def search_tools(caller: Caller, asked: Question) -> dict[str, Any]:
    """What the caller's model is shown: callable rows best first, then restricted ones, which carry no schema.

    A row appears only if its tool cleared the floor. `limit` bounds the callable rows and the restricted ones alike;
    the restricted ones come with the first page. Raises InvalidArguments for a cursor that is not of this search, and
    NotFound for a toolbox that the caller does not reach.
    """
    start = cursors.read(caller, asked.identity, asked.cursor)
    pool = _searched(caller, asked.toolbox)
    index = index_of(pool, asked.profile)
    found = index.search(asked.query, limit=start + asked.limit)
    withheld = index.search_restricted(asked.query, limit=len(pool.restricted))
    tools = [tool for hit in found.hits[start:] if (tool := pool.advertised(_name(hit)))]
    restricted = () if start else (pool.restricted[_name(hit)] for hit in withheld.hits)
    restricted_rows = _restricted_rows(restricted, asked.limit)
    answer = {
        "result": [*_rows(caller, tools, asked.detail, beside=size_of(restricted_rows)), *restricted_rows],
        "matched": found.matched,
        "total_tools": len(pool.tools),
        "restricted_count": withheld.matched,
    }
    if start + asked.limit < found.matched:
        answer["next_cursor"] = cursors.write(caller, asked.identity, start + asked.limit)
    confined = caller.toolboxes is not None
    said = note(
        Outcome(
            total_tools=len(pool.tools),
            matched=found.matched,
            restricted=withheld.matched,
            unmatched=found.unmatched_terms,
            # Of a grant that is confined to toolboxes it would be untrue: the app may well be connected.
            connectable=() if confined else found.named_elsewhere,
            unavailable=() if confined else found.named_products,
            cut=found.cut,
            toolbox=bool(asked.toolbox) or confined,
        )
    )
    return {**answer, "note": said} if said else answer


def _searched(caller: Caller, toolbox: str) -> Pool:
    """The caller's pool, or the part of it that is in the toolbox. Raises NotFound, Conflict."""
    pool = pool_of(caller)
    return pool.within(toolbox_named(caller, toolbox).pk) if toolbox else pool


def _name(hit: Hit) -> str:
    return str(hit.document.key)


def _rows(caller: Caller, tools: Sequence[AdvertisedTool], detail: Detail, *, beside: int) -> list[dict[str, Any]]:
    """Whole where they fit into an answer with `beside` other bytes, else with their largest schemas trimmed."""
    if detail is Detail.SUMMARY:
        return [_summary(tool) for tool in tools]
    schemas = _schemas(caller, (tool.tool_id for tool in tools))
    found = [tool for tool in tools if tool.tool_id in schemas]
    rows = [_row(tool) for tool in found]
    wanted = [schema_for(tool, schemas[tool.tool_id]) for tool in found]
    bytes_of_schemas = MAX_BYTES * max(1, len(rows) / DEFAULT_LIMIT) - beside - size_of(rows)
    bounds = allowances([min(size_of(schema), MAX_SCHEMA_BYTES) for schema in wanted], int(bytes_of_schemas))
    for row, schema, bound in zip(rows, wanted, bounds, strict=True):
        row["input_schema"] = trimmed(schema, bound)
    return rows


def _schemas(caller: Caller, tool_ids: Iterable[UUID]) -> dict[UUID, dict[str, Any]]:
    rows = Tool.objects.of(caller.organization).filter(pk__in=list(tool_ids))
    return dict(rows.values_list("pk", "input_schema"))


def _summary(tool: AdvertisedTool) -> dict[str, Any]:
    description = describe(tool.entry, ())
    return {"name": tool.name, "description": description, "connector_label": tool.connector_label, **_origin(tool)}


def _row(tool: AdvertisedTool) -> dict[str, Any]:
    row = {
        "name": tool.name,
        "description": describe(tool.entry, tool.accounts),
        "input_schema": {},
        "annotations": dict(tool.annotations),
        "connector_label": tool.connector_label,
        **_origin(tool),
    }
    return {**row, "connections": [account.label for account in tool.accounts]} if tool.merged else row


def _origin(tool: AdvertisedTool) -> dict[str, str]:
    """The toolbox that a frozen tool came out of, and where its instructions are read, if it has any."""
    frozen = tool.entry.frozen
    if frozen is None:
        return {}
    skill = {"skill": SKILL_URI.format(frozen.toolbox_id)} if frozen.has_skill else {}
    return {"toolbox": frozen.toolbox, **skill}


def _restricted_rows(tools: Iterable[RestrictedTool], limit: int) -> list[dict[str, Any]]:
    """One row a tool; a connector that is withheld whole is one row under its slug, where its best match stands."""
    rows: dict[str, dict[str, Any]] = {}
    for tool in tools:
        whole = tool.decision.scope is Scope.CONNECTOR
        ref = ToolRef(tool.ref.connector, tool.ref.lineage) if whole else tool.ref
        rows.setdefault(
            ref.connector if whole else tool.name,
            {
                "name": ref.connector if whole else tool.name,
                "connector_label": tool.connector_label,
                "restricted": {
                    "by": tool.decision.layer,
                    "scope": tool.decision.scope,
                    "request_access": how_to_ask(ref),
                },
            },
        )
    return list(rows.values())[:limit]
