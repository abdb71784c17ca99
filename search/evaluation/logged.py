"""An organization as a data set: its enabled tools, and what its members searched for.

A logged query with a chosen tool is labelled by it; what was chosen for the same words in the same app is right for
them together, and how often they were asked does not count. A query is *named* where the words of its app's label or
slug stand in it side by side. One that matched nothing, and after which nothing was chosen, is *unlabelled*. The others
say too little and stay out.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from accesscontrol.models import Organization
from connectors.curation.names import advertised_name
from connectors.models import Tool
from search.evaluation.dataset import Kind, LabelledQuery, LabelledTool
from search.evaluation.exceptions import EvaluationError
from search.models import LoggedQuery
from search.ranking import ToolDocument
from search.ranking.tokens import plain_terms

CHOSEN = "chosen"
NO_MATCH = "no_match"


def tools_of(organization: Organization) -> list[LabelledTool]:
    """What the whole organization could search. Raises EvaluationError where that is nothing."""
    rows = (
        Tool.objects.of(organization)
        .filter(enabled=True, connector__enabled=True)
        .select_related("connector")
        .order_by("connector__label", "connector__slug", "name")
    )
    tools = [_tool(row) for row in rows.iterator()]
    if not tools:
        raise EvaluationError(f"{organization.slug} has no enabled tools.")
    return tools


def queries_of(organization: Organization, tools: Sequence[LabelledTool]) -> list[LabelledQuery]:
    """The logged queries that can be measured, over the tools of this organization.

    One whose chosen tool is no more has no app, so that `answerable_here` leaves it out and counts it. Raises
    EvaluationError: the organization does not log, or nothing can be measured yet.
    """
    if not organization.logs_queries:
        raise EvaluationError(f"{organization.slug} logs no queries: an owner turns that on in the admin.")
    logged = LoggedQuery.objects.of(organization).order_by("query")
    chosen = logged.exclude(chosen="").values_list("query", "chosen").distinct()
    unanswered = logged.filter(chosen="", matched=0).values_list("query", flat=True).distinct()
    queries = [*_labelled(chosen, tools), *map(_unlabelled, unanswered)]
    if not queries:
        raise EvaluationError(
            f"{organization.slug} has no logged queries to measure yet: they come with searches after which a found "
            "tool is called, or that find nothing."
        )
    return queries


def _tool(row: Tool) -> LabelledTool:
    document = ToolDocument(
        key=f"{row.connector.slug}.{row.name}",
        name=advertised_name(row.connector.slug, row.name),
        description=row.description,
        connector_label=row.connector.label,
        parameters=tuple(row.input_schema.get("properties", ())),
    )
    return LabelledTool(document=document, app=row.connector.slug, pool="")


def _labelled(chosen: Iterable[tuple[str, str]], tools: Sequence[LabelledTool]) -> Iterator[LabelledQuery]:
    advertised: dict[str, LabelledTool] = {}
    for tool in tools:
        advertised.setdefault(tool.document.name, tool)
    several = len({tool.app for tool in tools}) > 1
    right: dict[tuple[str, str], list[LabelledTool]] = defaultdict(list)
    for query, name in chosen:
        found = advertised.get(name)
        right[query, found.app if found else ""] += [found] if found else []
    for (query, app), gold in right.items():
        # Where there is one app alone, none can be taken away to ask again.
        named = several and any(_names(query, tool) for tool in gold)
        yield LabelledQuery(
            set=CHOSEN,
            query=query,
            kind=Kind.NAMED if named else Kind.UNNAMED,
            app=app,
            gold=frozenset(str(tool.document.key) for tool in gold),
            pool="",
        )


def _unlabelled(query: str) -> LabelledQuery:
    return LabelledQuery(set=NO_MATCH, query=query, kind=Kind.UNLABELLED, app="", gold=frozenset(), pool="")


def _names(query: str, tool: LabelledTool) -> bool:
    words = f" {' '.join(plain_terms(query))} "
    return any(f" {' '.join(plain_terms(name))} " in words for name in (tool.document.connector_label, tool.app))
