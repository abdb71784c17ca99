"""The records of the reach report."""

from search.models.reach import ReachAllowance, ReachAudience, ReachConnection, ReachMember, ReachRow, ReachTools

__all__ = ["ReachAllowance", "ReachAudience", "ReachConnection", "ReachMember", "ReachRow", "ReachTools"]
