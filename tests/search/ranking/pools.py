"""Small pools for the tests, and the few words it takes to make one."""

from collections.abc import Iterable

from search.ranking import PROFILES, PoolIndex, SearchResult, ToolDocument

PUBLISHED = PROFILES["published"]


def tool(name: str, description: str = "", label: str = "", parameters: tuple[str, ...] = ()) -> ToolDocument:
    return ToolDocument(
        key=name, name=name, description=description, connector_label=label, parameters=parameters
    )


def names(result: SearchResult) -> list[str]:
    return [hit.document.name for hit in result.hits]


def scores(result: SearchResult) -> dict[str, float]:
    return {hit.document.name: hit.score for hit in result.hits}


def published(*documents: ToolDocument, restricted: Iterable[ToolDocument] = ()) -> PoolIndex:
    return PoolIndex.build(documents, profile=PUBLISHED, restricted=restricted)
