"""An account of Bob's at the sandbox, and Bea, who has none."""

import pytest

from accesscontrol.models import Member, Organization
from connectors.models import Connection, Connector
from tests import cast


@pytest.fixture
def bea(acme: Organization) -> Member:
    return cast.member(acme, "bea")


@pytest.fixture
def account(deskline: Connector) -> Connection:
    """Bob's."""
    return Connection.objects.get(connector=deskline)
