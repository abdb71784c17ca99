"""Restricting, asking and answering in few words, and /mcp as the asker's client."""

from typing import Any

from accesscontrol.models import AccessRequest, Exemption, Member, Restriction, Surface
from accesscontrol.services import access_requests, restrictions
from tests.search.mcp.rpc import Rpc

CREATE, LIST, WITHDRAW = (f"elaichi__access_request__{verb}" for verb in ("create", "list", "withdraw"))
DELETE_PAGE = {"connector": "notion", "tool": "delete_page"}


def block(subject: Any, **names: Any) -> Restriction:
    return restrictions.create(subject=subject, mode=Restriction.Mode.BLOCK, surface=Surface.SYSTEM, **names)


def ask(member: Member, connector: str = "notion", tool: str = "delete_page", **fields: Any) -> AccessRequest:
    return access_requests.ask(member=member, connector=connector, tool=tool, surface=Surface.SYSTEM, **fields)


def approve(request: AccessRequest, by: Member | None = None) -> Exemption:
    return access_requests.approve(request=request, surface=Surface.ADMIN, actor=by)


def refused(rpc: Rpc, name: str, /, **arguments: Any) -> dict[str, Any]:
    result = rpc.call(name, **arguments)
    assert result["isError"]
    found: dict[str, Any] = result["structuredContent"]["error"]
    return found


def operated(rpc: Rpc, name: str, /, **arguments: Any) -> dict[str, Any]:
    result = rpc.call(name, **arguments)
    assert not result["isError"], result
    found: dict[str, Any] = result["structuredContent"]
    return found
