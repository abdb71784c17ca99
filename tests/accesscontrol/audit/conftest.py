"""Rows are chained as their transaction commits, and an ordinary test's never does."""

import pytest

from accesscontrol.models import Member
from tests.accesscontrol.audit.trail import sql


@pytest.fixture
def chained(people: dict[str, Member]) -> None:
    """From here on each row is chained as it is added, as if every statement were followed by a commit."""
    sql("SET CONSTRAINTS ALL IMMEDIATE")
