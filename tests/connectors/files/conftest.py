"""Bob has an account at a product whose answers are files, in a folder of the test's own."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from accesscontrol.models import Member
from connectors.binding import Binding, Body
from connectors.models import Connection
from tests import cast
from tests.conftest import reachable
from tests.connectors.execution.upstream import Server, respond, serving
from tests.search.mcp.rpc import Rpc

PNG = b"\x89PNG\r\n\x1a\n\0\0"


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = tmp_path
    return tmp_path


@pytest.fixture
def upstream(settings: Any) -> Iterator[Server]:
    with serving(Server()) as server, reachable(settings, server.authority):
        disposition = 'attachment; filename="the logo.png"'
        server.routes["/get_logo"] = respond(200, PNG, Content_Type="image/png", Content_Disposition=disposition)
        yield server


@pytest.fixture
def account(upstream: Server, bob: Member) -> Connection:
    connector = cast.connector(bob.organization, base_url=upstream.url)
    cast.tool(connector, "get_logo", "Get the logo")
    body = Body(argument="logo", media_type="image/png", required=True, files=("logo",))
    sending = Binding(method="PUT", path="/put_logo", body=body)
    cast.tool(
        connector,
        "put_logo",
        "Replace the logo",
        method="PUT",
        binding=sending.to_json(),
        input_schema={"type": "object", "properties": {"logo": {"type": "string"}}, "required": ["logo"]},
    )
    return cast.connection(bob, connector)


@pytest.fixture
def rpc(account: Connection, bob: Member) -> Rpc:
    return Rpc(cast.token(bob))


@pytest.fixture
def logo(rpc: Rpc) -> dict[str, Any]:
    """The file that a call brought back, as its result tells."""
    file: dict[str, Any] = rpc.call("notion_get_logo")["structuredContent"]["file"]
    return file
