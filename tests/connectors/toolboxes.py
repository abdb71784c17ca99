"""What the tests of toolboxes have in common: filling one as its owner, and what a member's client then sees."""

from typing import Any

from accesscontrol.models import Member, Surface
from connectors.models import Connection, Connector, FrozenTool, Level, Share, Toolbox
from connectors.services import frozen_tools, sharing, toolboxes
from connectors.services.frozen_tools import Changes
from tests import cast
from tests.search.mcp.rpc import Rpc

TOOL = "list_tickets"
NAME = "deskline_list_tickets_ship"


def toolbox(owner: Member, name: str = "Support", **fields: Any) -> Toolbox:
    return toolboxes.create(name=name, surface=Surface.SYSTEM, actor=owner, **fields)


def freeze(
    into: Toolbox, connector: Connector, tool: str = TOOL, *, actor: Member | None = None, **changes: Any
) -> FrozenTool:
    """Deskline's tickets of one project, unless something else is asked for."""
    changes.setdefault("fixed", {"project": "SHIP"} if tool == TOOL else {})
    return frozen_tools.add(
        toolbox=into,
        connector=connector,
        tool=tool,
        changes=Changes(**changes),
        surface=Surface.SYSTEM,
        actor=actor or into.owner,
    )


def change(row: FrozenTool, actor: Member | None = None, **changes: Any) -> FrozenTool:
    by = actor or row.toolbox.owner
    return frozen_tools.change(frozen_tool=row, changes=Changes(**changes), surface=Surface.SYSTEM, actor=by)


def share(target: Toolbox | Connection, grantee: sharing.Grantee, level: Level = Level.USE) -> Share:
    return sharing.share(target=target, grantee=grantee, level=level, surface=Surface.SYSTEM, actor=target.owner)


def names(member: Member, query: str = "list tickets", **asked: Any) -> list[str]:
    """Of the tools that a search finds and that may be called."""
    rows = Rpc(cast.token(member)).found(query, limit=50, **asked)["result"]
    return [row["name"] for row in rows if "restricted" not in row]


def runs(member: Member, name: str = NAME, **arguments: Any) -> bool:
    """Whether a call of that name goes through; a search finds the tool exactly if it does."""
    answer = Rpc(cast.token(member)).send("tools/call", {"name": name, "arguments": arguments}).json()
    ran = "result" in answer and not answer["result"]["isError"]
    assert ran == (name in names(member))
    return ran
