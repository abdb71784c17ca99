"""The records of the reach report and of the query log."""

from search.models.query_log import LoggedQuery
from search.models.reach import (
    ReachAllowance,
    ReachAudience,
    ReachConnection,
    ReachMember,
    ReachPin,
    ReachRow,
    ReachTools,
)

__all__ = [
    "LoggedQuery",
    "ReachAllowance",
    "ReachAudience",
    "ReachConnection",
    "ReachMember",
    "ReachPin",
    "ReachRow",
    "ReachTools",
]
