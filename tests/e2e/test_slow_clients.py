"""A client that sends its request a byte at a time, or never to its end, holds up nobody else."""

import socket
from contextlib import ExitStack
from urllib.parse import urlsplit

import httpx2

from accesscontrol.models import Member
from tests import cast
from tests.e2e.conftest import Gateway

SLOW = 40
SEARCH = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "search_tools", "arguments": {"query": "list tickets"}},
}


def test_forty_clients_that_do_not_finish_their_requests_hold_up_nobody(gateway: Gateway, dora: Member) -> None:
    at = urlsplit(gateway.url)
    token = cast.token(dora)
    headers = (f"Host: {at.netloc}", f"Authorization: Bearer {token}", "Content-Type: application/json")
    begun = "\r\n".join(("POST /mcp HTTP/1.1", *headers, ""))
    with ExitStack() as stack:
        for number in range(SLOW):
            client = stack.enter_context(socket.create_connection((at.hostname or "", at.port or 0)))
            # Some stop within the headers, some within the body that they have announced.
            client.sendall(begun.encode() if number % 2 else f'{begun}Content-Length: 999\r\n\r\n{{"jsonrpc"'.encode())
        answer = httpx2.post(gateway.mcp, json=SEARCH, headers={"Authorization": f"Bearer {token}"}, timeout=5)
        assert answer.status_code == 200
        assert answer.json()["result"]["structuredContent"]["matched"] >= 1
