"""Rank tools for a query and refuse those that do not answer it. Stands alone: no framework, no database."""

from search.ranking.documents import AppName, ToolDocument
from search.ranking.index import PoolIndex
from search.ranking.postings import ConnectorTerms
from search.ranking.profiles import PROFILES, Profile
from search.ranking.results import Hit, SearchResult, TermMatch

__all__ = [
    "PROFILES",
    "AppName",
    "ConnectorTerms",
    "Hit",
    "PoolIndex",
    "Profile",
    "SearchResult",
    "TermMatch",
    "ToolDocument",
]
