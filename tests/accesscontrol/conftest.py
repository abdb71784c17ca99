"""A member who is refused a tool of Notion, their client, and an administrator who may answer."""

import pytest

from accesscontrol.models import Member, Organization
from connectors.models import Connector
from tests import cast
from tests.accesscontrol.asking import block
from tests.search.mcp.rpc import LEGACY, MODERN, Rpc


@pytest.fixture
def pam(acme: Organization) -> Member:
    return cast.member(acme, "pam", "people-admin", staff=True)


@pytest.fixture
def notion(bob: Member) -> Connector:
    """Bob's account, and a rule for his role against one of its tools."""
    made = cast.connector(bob.organization)
    cast.tool(made, "delete_page", "Delete a page", method="DELETE")
    cast.tool(made, "get_page", "Retrieve a page")
    cast.connection(bob, made)
    block(bob.role, tools=["notion.delete_page"])
    return made


@pytest.fixture(params=[LEGACY, MODERN])
def rpc(request: pytest.FixtureRequest, notion: Connector, bob: Member) -> Rpc:
    return Rpc(cast.token(bob), version=request.param)
