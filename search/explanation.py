"""Why a search came out as it did, for an administrator: what each term did, and what the floor refused.

A model never sees this: it would be handed the weak matches that the floor exists to keep from it.
"""

from collections.abc import Iterable

from accesscontrol.caller import Caller
from search.pool import index_of, pool_of
from search.ranking import Hit, SearchResult, TermMatch


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
