"""Why a search came out as it did: what each term did, and what the floor refused.

An administrator reads all of it. A model is told of what was found, and of a tool that it names itself: never of the
weak matches that the floor exists to keep from it.
"""

from collections.abc import Iterable
from typing import Any

from accesscontrol.caller import Caller
from search.pool import Pool, index_of, pool_of
from search.ranking import Hit, PoolIndex, SearchResult, TermMatch
from search.ranking.floor import FLOOR

_FIRST = 5
_TOO_LITTLE = "It accounts for less of the query than the floor asks, or the query names another app."


def explain(caller: Caller, query: str, *, limit: int, profile: str | None = None) -> str:
    """A readable account of one search, with the tools that came nearest and were refused."""
    pool = pool_of(caller)
    index = index_of(pool, profile)
    found = index.search(query, limit=limit)
    parts = [
        f"{found.matched} of {len(index)} tools clear the floor of one half, by the profile {index.profile.name}.",
        *_heard(found),
        *_section("Returned", found.hits),
        *_section("Restricted for this member", index.search_restricted(query, limit=limit).hits),
        *_section("Nearest, and refused by the floor", index.nearest_refused(query)),
    ]
    return "\n".join(parts)


def account(caller: Caller, query: str, *, tool: str = "") -> dict[str, Any]:
    """As JSON values: what was made of the query, and why the tool of this name, or else the first few, came or not."""
    pool = pool_of(caller)
    index = index_of(pool, None)
    found = index.search(query, limit=_FIRST)
    told = {
        "floor": FLOOR,
        "matched": found.matched,
        "of_tools": len(pool.tools),
        "apps_named": list(found.scope),
        "unmatched_terms": list(found.unmatched_terms),
    }
    if tool:
        return told | {"tool": tool, **_why(pool, index, query, tool)}
    return told | {"found": [{"tool": hit.document.name, **_numbers(hit)} for hit in found.hits]}


def _why(pool: Pool, index: PoolIndex, query: str, tool: str) -> dict[str, Any]:
    if tool in pool.restricted:
        return {"outcome": "restricted", "why": "A rule withholds it from you, so it is named and cannot be called."}
    if tool not in pool.tools:
        return {"outcome": "unknown", "why": "You have no tool of this name: no account, no share or another name."}
    every = len(index)
    for place, hit in enumerate(index.search(query, limit=every).hits, start=1):
        if hit.document.key == tool:
            return {"outcome": "found", "place": place, **_numbers(hit)}
    for hit in index.nearest_refused(query, limit=every):
        if hit.document.key == tool:
            return {"outcome": "refused", "why": _TOO_LITTLE, **_numbers(hit)}
    return {"outcome": "refused", "why": "It holds no word of the query, or the query names another app."}


def _numbers(hit: Hit) -> dict[str, Any]:
    return {
        "score": round(hit.score, 2),
        "coverage": round(hit.coverage, 2),
        "terms": [
            {"term": match.term, "weight": round(match.weight, 2), "covered": match.covered, "in": list(match.evidence)}
            for match in hit.terms
        ],
    }


def _heard(found: SearchResult) -> Iterable[str]:
    said = {
        "Apps named that are here": found.scope,
        "Apps named that could be connected": found.named_elsewhere,
        "Products named that nobody here can connect": found.named_products,
        "Words that no tool holds": found.unmatched_terms,
    }
    return [f"{what}: {', '.join(names)}." for what, names in said.items() if names]


def _section(title: str, hits: Iterable[Hit]) -> list[str]:
    lines = [line for hit in hits for line in _tool(hit)]
    return ["", title, "-" * len(title), *lines] if lines else []


def _tool(hit: Hit) -> list[str]:
    named = "  (named in the query)" if hit.named else ""
    head = f"{hit.document.name}  [{hit.document.connector_label}]  score {hit.score:.2f}  coverage {hit.coverage:.0%}"
    return [head + named, *(f"    {_term(match)}" for match in hit.terms)]


def _term(match: TermMatch) -> str:
    where = " + ".join(match.evidence) or "not held"
    return (
        f"{match.term:<20.20} weight {match.weight:5.2f}   covered {match.covered:4.0%}   "
        f"points {match.points:4.1f}   {where}"
    )
