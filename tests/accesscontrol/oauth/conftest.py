"""A client of Bob's."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache

from accesscontrol.models import Member
from tests.accesscontrol.oauth.dance import Dance


@pytest.fixture(autouse=True)
def _nobody_registered_before() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def dance(bob: Member) -> Dance:
    return Dance(bob)
