"""The cards as a client of the endpoint reads them."""

import re

import pytest

from accesscontrol.models import Member
from accesscontrol.permissions import Scope
from tests import cast
from tests.search.mcp.rpc import LEGACY, Rpc

EXTENSION = "io.modelcontextprotocol/ui"
CARDS = {"search_tools": "ui://elaichi/search", "execute_tool": "ui://elaichi/call"}


def test_the_doors_name_their_cards(rpc: Rpc) -> None:
    metas = {tool["name"]: tool["_meta"] for tool in rpc.result("tools/list")["tools"] if "_meta" in tool}
    assert metas == {name: {"ui": {"resourceUri": uri}, "ui/resourceUri": uri} for name, uri in CARDS.items()}


@pytest.mark.parametrize("uri", CARDS.values())
def test_a_card_is_a_page_that_needs_nothing_else(rpc: Rpc, uri: str) -> None:
    [contents] = rpc.result("resources/read", {"uri": uri})["contents"]
    assert contents["mimeType"] == "text/html;profile=mcp-app"
    assert all(domains == [] for domains in contents["_meta"]["ui"]["csp"].values())
    page = contents["text"]
    assert page.startswith("<!doctype html>")
    assert len(page.encode()) < 40 * 1024
    assert re.findall(r"\b(?:src|href)=|https?://|innerHTML|\beval\(", page) == []


def test_cards_are_not_listed_and_are_read_with_the_scope_for_tools_alone(rpc: Rpc, bob: Member) -> None:
    assert "ui://" not in str(rpc.result("resources/list"))
    reader = Rpc(cast.token(bob, scopes=[Scope.READ]))
    assert reader.error(reader.send("resources/read", {"uri": "ui://elaichi/search"}))["code"] == -32002
    caller = Rpc(cast.token(bob, scopes=[Scope.TOOLS]))
    assert caller.result("resources/read", {"uri": "ui://elaichi/call"})["contents"]


def test_the_extension_is_advertised_where_a_revision_has_extensions(rpc: Rpc) -> None:
    if rpc.version == LEGACY:
        asked = {"extensions": {EXTENSION: {"mimeTypes": ["text/html;profile=mcp-app"]}}}
        params = {"protocolVersion": LEGACY, "capabilities": asked, "clientInfo": {"name": "host", "version": "1"}}
        assert "extensions" not in rpc.result("initialize", params)["capabilities"]
    else:
        capabilities = rpc.result("server/discover")["capabilities"]
        assert capabilities["extensions"] == {EXTENSION: {"mimeTypes": ["text/html;profile=mcp-app"]}}
