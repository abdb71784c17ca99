"""How long `search_tools` takes over HTTP, as a stock client sends it: one client, one request after another.

    MCP_REQUESTS_PER_MINUTE=0 ./run up &
    python benchmarks/http_search.py --tools 500

Reads the address and the owner's token from var/local.json, makes a connector of that many tools for the owner of the
running local stack, measures, and takes it away again.
"""

import argparse
import json
import os
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "elaichi.settings")

QUERIES = ("create invoice", "list_open_records_17", "find the overdue report of a customer", "delete shelf 4", "users")
NOUNS = ("invoice", "customer", "report", "record", "shelf", "user", "ticket", "page", "payment", "order")
VERBS = ("create", "list", "get", "update", "delete")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=int, default=500)
    parser.add_argument("--requests", type=int, default=500)
    asked = parser.parse_args()

    import django

    django.setup()
    from connectors.models import Connector

    local = json.loads((ROOT / "var" / "local.json").read_text())
    connector = make(local["organization"], local["people"][0]["email"], asked.tools)
    try:
        milliseconds = measure(local["mcp_url"], local["people"][0]["token"], asked.requests)
    finally:
        remove(connector)
    quantiles = statistics.quantiles(milliseconds, n=100)
    print(
        f"{asked.tools} tools, {asked.requests} searches over HTTP: median {quantiles[49]:.1f} ms, "
        f"p95 {quantiles[94]:.1f} ms, p99 {quantiles[98]:.1f} ms"
    )
    assert not Connector.objects.filter(pk=connector).exists()


def measure(url: str, token: str, requests: int) -> list[float]:
    import httpx2

    times = []
    with httpx2.Client(headers={"Authorization": f"Bearer {token}", "MCP-Protocol-Version": "2025-11-25"}) as client:
        for number in range(requests + 5):
            arguments = {"query": QUERIES[number % len(QUERIES)]}
            call = {"name": "search_tools", "arguments": arguments}
            started = time.perf_counter()
            answer = client.post(url, json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
            times.append(1000 * (time.perf_counter() - started))
            assert answer.json()["result"]["isError"] is False
    return times[5:]


def make(organization: str, email: str, tools: int) -> object:
    from django.db import transaction

    from accesscontrol import versions
    from accesscontrol.models import Member
    from connectors.models import Connection, Connector, Tool

    owner = Member.objects.get(organization__slug=organization, user__email=email)
    with transaction.atomic():
        versions.bump(owner.organization)
        connector = Connector.objects.create(
            organization=owner.organization, slug="benchmark", label="Benchmark", base_url="https://example.com"
        )
        Tool.objects.bulk_create(
            Tool(
                connector=connector,
                name=f"{VERBS[n % 5]}_{NOUNS[n // 5 % 10]}_{n}",
                operation=str(n),
                description=f"{VERBS[n % 5].title()}s the {NOUNS[n // 5 % 10]} of group {n // 50} for its owner.",
                input_schema={
                    "type": "object",
                    "properties": {name: {"type": "string", "description": "A value."} for name in NOUNS},
                },
            )
            for n in range(tools)
        )
        Connection.objects.create(connector=connector, owner=owner, label="Main", status="active")
    return connector.pk


def remove(connector: object) -> None:
    from django.db import transaction

    from accesscontrol import versions
    from connectors.models import Connector

    with transaction.atomic():
        found = Connector.objects.get(pk=connector)
        versions.bump(found.organization)
        found.delete()


if __name__ == "__main__":
    main()
