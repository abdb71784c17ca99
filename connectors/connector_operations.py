"""The operation that tells what one connector is: its tools by what they do, where its calls go, how one signs in."""

from collections import defaultdict
from typing import Any
from urllib.parse import urlsplit

from pydantic import Field

from accesscontrol.caller import Caller
from accesscontrol.exceptions import NotFound
from accesscontrol.operation import Operation, OperationInput, registry
from accesscontrol.permissions import Permission, Scope
from accesscontrol.policy import ToolRef
from accesscontrol.resolver import Checkpoint, decide, decide_each
from connectors.catalog.changes import effect
from connectors.frozen_reach import tools_within_grant
from connectors.models import Connector, Tool

MAX_NAMES = 200
"""Of tools in one answer; `q` finds the others."""


class ConnectorInput(OperationInput):
    connector: str = Field(max_length=100)
    q: str = Field(default="", max_length=100)


def get(caller: Caller, asked: ConnectorInput) -> dict[str, Any]:
    connector = _connector(caller, asked.connector)
    tools = _tools(caller, connector, asked.q.strip().lower())
    shown: dict[str, list[str]] = defaultdict(list)
    for tool in tools[:MAX_NAMES]:
        shown[effect(tool.annotations)].append(tool.name)
    found = {
        "slug": connector.slug,
        "label": connector.label,
        "kind": connector.kind,
        "hosts": [urlsplit(connector.base_url).netloc, *connector.hosts],
        "auth": connector.auth_scheme.kind,
        "limits": {
            "calls_at_a_time": connector.max_concurrent_calls,
            "calls_per_minute": connector.calls_per_minute,
        },
        "tools": {name: shown[name] for name in ("reads", "writes", "deletes") if shown[name]},
    }
    more = len(tools) - MAX_NAMES
    return found | ({"more_tools": more, "note": "Give q to find the others."} if more > 0 else {})


def _connector(caller: Caller, named: str) -> Connector:
    """Raises NotFound, also for one that a rule withholds whole."""
    rows = Connector.objects.of(caller.organization).filter(enabled=True)
    found = rows.filter(slug=named).first() or rows.filter(label__iexact=named).first()
    if found is None or not decide(Checkpoint.LIST, caller, ToolRef(found.slug, tuple(found.lineage))).allowed:
        raise NotFound("connector")
    return found


def _tools(caller: Caller, connector: Connector, wanted: str) -> list[Tool]:
    """Those that no rule withholds, by name."""
    only = tools_within_grant(caller, connector.pk)
    rows = connector.tools.filter(enabled=True).only("name", "annotations", "former_names").order_by("name")
    tools = [tool for tool in rows if wanted in tool.name and (only is None or tool.name in only)]
    decisions = decide_each(Checkpoint.LIST, caller, [tool.ref_in(connector) for tool in tools])
    return [tool for tool, decision in zip(tools, decisions, strict=True) if decision.allowed]


registry.register(
    Operation(
        domain="connector",
        verb="get",
        title="Get a connector",
        description="An app's tools by effect, its hosts, sign-in and limits.",
        input=ConnectorInput,
        permission=Permission.CONNECTOR_VIEW,
        scope=Scope.READ,
        run=get,
        subject="connector",
    )
)
registry.reserve(
    "connector", "create", "import", "update", "delete", "fork", admin_page="admin:connectors_connector_changelist"
)
