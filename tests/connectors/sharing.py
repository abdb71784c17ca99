"""What the tests of sharing have in common: sharing as the owner, and what a member's client then sees."""

from typing import Any

import httpx2

from accesscontrol.caller import Caller, caller_of
from accesscontrol.models import Member, Surface
from connectors.models import Connection, Level, Share
from connectors.services import sharing
from tests.search.mcp.rpc import Rpc

LIST = "deskline_list_tickets"


def share(account: Connection, grantee: sharing.Grantee, level: Level = Level.USE) -> Share:
    return sharing.share(target=account, grantee=grantee, level=level, surface=Surface.SYSTEM, actor=account.owner)


def unshare(account: Connection, grantee: sharing.Grantee) -> None:
    sharing.unshare(target=account, grantee=grantee, surface=Surface.SYSTEM, actor=account.owner)


def fresh(member: Member) -> Caller:
    rows = Member.objects.select_related("organization", "role", "user")
    return caller_of(rows.get(pk=member.pk), surface=Surface.SYSTEM)


def journal(sandbox: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = httpx2.get(f"{sandbox}/_journal").json()["requests"]
    return found


def is_served(rpc: Rpc) -> bool:
    """Both a search and a call find the tool, or neither does."""
    found = {row["name"] for row in rpc.found("list tickets")["result"]}
    answer = rpc.send("tools/call", {"name": LIST, "arguments": {}}).json()
    served = "result" in answer and not answer["result"]["isError"]
    assert served == (LIST in found)
    return served


def refusal(rpc: Rpc, name: str, /, **arguments: Any) -> dict[str, Any]:
    answer = rpc.call(name, **arguments)
    assert answer["isError"], answer
    error: dict[str, Any] = answer["structuredContent"]["error"]
    return error


def listed(rpc: Rpc) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = rpc.call("elaichi__connection__list")["structuredContent"]["connections"]
    return rows
