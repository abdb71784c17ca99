"""A member with Notion connected, and clients of both eras for them."""

import pytest

from accesscontrol.models import Member
from connectors.models import Connector
from tests import cast
from tests.search.mcp.rpc import LEGACY, MODERN, Rpc


@pytest.fixture
def notion(bob: Member) -> Connector:
    connector = cast.connector(bob.organization)
    cast.tool(connector, "create_page", "Create a page", method="POST")
    cast.tool(connector, "get_page", "Retrieve a page")
    cast.tool(connector, "delete_page", "Delete a page", method="DELETE")
    cast.tool(connector, "list_users", "List all users")
    cast.connection(bob, connector)
    return connector


@pytest.fixture(params=[LEGACY, MODERN])
def rpc(request: pytest.FixtureRequest, notion: Connector, bob: Member) -> Rpc:
    """Bob's client, once in each era."""
    return Rpc(cast.token(bob), version=request.param)
