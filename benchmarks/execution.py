"""What the gateway adds to a call of a connected tool, and what slow products do to searches, over real HTTP.

    python benchmarks/execution.py --tools 500

Starts gunicorn with the production configuration on a database of its own, and a product that answers at once or
after two seconds, in processes of their own. The first figure is the median of a call by `execute_tool` less that of
the same request sent straight to the product; the second compares searches on the idle gateway with searches while
fifty clients keep fifty slow calls running.
"""

import argparse
import json
import logging
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing import get_context
from typing import Any
from urllib.parse import quote

from scratch import ROOT, connectors, members, organization, scratch_database

SLOW_SECONDS = 2.0
QUERIES = ("create invoice", "list_report_17", "find the overdue report of a customer", "delete shelf 4", "users")
FORK = get_context("fork")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=int, default=500)
    parser.add_argument("--calls", type=int, default=1_000)
    parser.add_argument("--clients", type=int, default=50)
    asked = parser.parse_args()
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    with product() as upstream, scratch_database():
        token = fill(upstream, asked.tools)
        with gateway(upstream) as url:
            measure_overhead(url, upstream, token, asked.calls)
            measure_searches(url, token, asked.calls, asked.clients)


def measure_overhead(url: str, upstream: str, token: str, calls: int) -> None:
    direct = timed(calls, lambda client, _: client.get(f"{upstream}/fast"))
    ours = timed(calls, lambda client, _: post(client, url, token, "execute_tool", name="app0_fast", arguments={}))
    print(f"call: {told(ours)}; the product alone: {told(direct)}")
    print(f"our part of a call, median: {statistics.median(ours) - statistics.median(direct):.1f} ms")


def measure_searches(url: str, token: str, calls: int, clients: int) -> None:
    def search(client: Any, number: int) -> Any:
        return post(client, url, token, "search_tools", query=QUERIES[number % len(QUERIES)])

    idle = timed(calls, search)
    loads = [FORK.Process(target=keep_calling, args=(url, token), daemon=True) for _ in range(clients)]
    for load in loads:
        load.start()
    time.sleep(SLOW_SECONDS)
    busy = timed(calls, search)
    for load in loads:
        load.terminate()
    print(f"search, idle: {told(idle)}")
    print(f"search beside {clients} slow calls: {told(busy)}")
    print(f"slower by, median: {100 * (statistics.median(busy) / statistics.median(idle) - 1):.0f} %")


def keep_calling(url: str, token: str) -> None:
    import httpx2

    with httpx2.Client(timeout=30) as client:
        while True:
            post(client, url, token, "execute_tool", name="app0_slow", arguments={})


def post(client: Any, url: str, token: str, tool: str, **arguments: Any) -> Any:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    headers = {"Authorization": f"Bearer {token}", "MCP-Protocol-Version": "2025-11-25"}
    answer = client.post(f"{url}/mcp", json=message, headers=headers)
    assert answer.json().get("result", {}).get("isError") is False, answer.text
    return answer


def timed(times: int, action: Any) -> list[float]:
    """Milliseconds each, over one connection, after five that do not count."""
    import httpx2

    found = []
    with httpx2.Client(timeout=60) as client:
        for number in range(times + 5):
            started = time.perf_counter()
            action(client, number)
            found.append(1000 * (time.perf_counter() - started))
    return found[5:]


def told(milliseconds: list[float]) -> str:
    quantiles = statistics.quantiles(milliseconds, n=100)
    return f"median {quantiles[49]:.1f} ms, p95 {quantiles[94]:.1f} ms"


def fill(upstream: str, tools: int) -> str:
    """An owner with an account at one product of so many tools, two of which answer; returns their token."""
    from accesscontrol.models import Surface
    from accesscontrol.permissions import Scope
    from accesscontrol.services import grants
    from connectors.binding import Binding
    from connectors.models import Connection, Connector, Tool

    home = organization("busy")
    [owner] = members(home, 1, "org-owner")
    [connector] = connectors(home, 1, tools - 2)
    Connector.objects.update(base_url=upstream, max_concurrent_calls=1_000, auth={"kind": "none"})
    for name in ("fast", "slow"):
        binding = Binding(method="GET", path=f"/{name}").to_json()
        Tool.objects.create(connector=connector, name=name, operation=name, description=name, binding=binding)
    Connection.objects.create(connector=connector, owner=owner, label="Main", status="active")
    _, token = grants.issue_token(member=owner, client_name="Benchmark", scopes=list(Scope), surface=Surface.SYSTEM)
    return token


@contextmanager
def gateway(upstream: str) -> Iterator[str]:
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    environment = {
        **os.environ,
        "DEBUG": "0",
        "DATABASE_POOL": "1",
        "DATABASE_URL": database_url(),
        "PUBLIC_URL": url,
        "EGRESS_ALLOWED": upstream.removeprefix("http://"),
        "MCP_REQUESTS_PER_MINUTE": "1000000",
    }
    options = ["--config=python:elaichi.gunicorn", f"--bind=fd://{listener.fileno()}", "--access-logfile=/dev/null"]
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "gunicorn", *options, "elaichi.wsgi"],
        env=environment,
        cwd=ROOT,
        pass_fds=[listener.fileno()],
        stderr=subprocess.DEVNULL,
    )
    listener.close()
    try:
        wait_for(f"{url}/healthz")
        yield url
    finally:
        process.terminate()
        process.wait(30)


def database_url() -> str:
    from django.db import connection

    found = connection.get_connection_params()
    login = ":".join(quote(str(found[key]), safe="") for key in ("user", "password") if found.get(key))
    place = "&".join(f"{key}={quote(str(found[key]), safe='')}" for key in ("host", "port") if found.get(key))
    return f"postgresql://{login}@/{found['dbname']}?{place}"


def wait_for(url: str) -> None:
    import httpx2

    for _ in range(300):
        try:
            if httpx2.get(url).status_code == 200:
                return
        except httpx2.TransportError:
            time.sleep(0.1)
    raise SystemExit("gunicorn did not start")


class Product(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        if self.path == "/slow":
            time.sleep(SLOW_SECONDS)
        body = json.dumps({"ok": True}).encode()
        self.wfile.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
        )

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Products(ThreadingHTTPServer):
    request_queue_size = 256

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients hang up when the measuring is over."""


@contextmanager
def product() -> Iterator[str]:
    server = Products(("127.0.0.1", 0), Product)
    process = FORK.Process(target=server.serve_forever, daemon=True)
    process.start()
    yield f"http://127.0.0.1:{server.server_port}"
    process.terminate()


if __name__ == "__main__":
    main()
