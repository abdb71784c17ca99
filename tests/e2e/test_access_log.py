"""What the web process writes down of the addresses that it is asked for."""

import time

import httpx2
import pytest

from accesscontrol.models import Member
from elaichi.logged_addresses import cut
from tests import cast
from tests.e2e.conftest import Gateway


def logged(gateway: Gateway, already: int, *, requests: int) -> str:
    """What was written since; a request's line comes after its answer."""
    deadline = time.monotonic() + 10
    while (log := gateway.log.read_text()[already:]).count("HTTP/1.1") < requests:
        assert time.monotonic() < deadline, log
    return log


def test_nothing_that_opens_something_is_in_the_log(gateway: Gateway, dora: Member) -> None:
    headers = {"Authorization": f"Bearer {cast.token(dora)}", "Content-Type": "text/plain"}
    already = len(gateway.log.read_text())
    link = httpx2.post(f"{gateway.url}/files/?name=canary.txt", content=b"x", headers=headers).json()["url"]
    already += len(logged(gateway, already, requests=1))
    assert httpx2.get(link).content == b"x"
    for path in ("/connect/canary-1/", "/join/canary-2/", "/files/canary-3/canary-4?canary-5=1"):
        httpx2.get(f"{gateway.url}{path}", headers={"Referer": "http://canary-6.example"})
    assert httpx2.get(f"{gateway.url}/healthz").status_code == 200
    assert httpx2.post(f"{gateway.url}/connect/canary-7/").status_code == 403
    log = logged(gateway, already, requests=6)
    assert sorted(line.split('"')[1] for line in log.splitlines() if "HTTP/1.1" in line) == [
        "GET /connect/… HTTP/1.1",
        "GET /files/… HTTP/1.1",
        "GET /files/… HTTP/1.1",
        "GET /healthz HTTP/1.1",
        "GET /join/… HTTP/1.1",
        "POST /connect/… HTTP/1.1",
    ]
    assert "canary" not in log
    assert link.split("/")[4] not in log


@pytest.mark.parametrize("path", ["/files/", "/connect/callback/", "/mcp", "/admin/connectors/connect/", "/grants/"])
def test_other_addresses_stand_as_they_are(path: str) -> None:
    assert cut(path) == path
