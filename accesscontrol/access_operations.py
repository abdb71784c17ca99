"""The operations over what restricts a member, and over asking for what it withholds.

Answering a request and writing a rule are none of them: a model that could do either could be talked into it.
"""

from typing import Annotated, Any

from django.db.models import Q
from pydantic import AfterValidator, Field

from accesscontrol.caller import Caller
from accesscontrol.exceptions import NotFound
from accesscontrol.models import AccessRequest, Exemption, Restriction
from accesscontrol.models.access_request import MAX_REASON
from accesscontrol.operation import Operation, OperationInput, registry
from accesscontrol.pagination import PageInput, page
from accesscontrol.permissions import Permission, Scope
from accesscontrol.services import access_requests
from accesscontrol.tenancy import parse_id

Prose = Annotated[str, AfterValidator(str.strip)]


class AskInput(OperationInput):
    connector: str = Field(max_length=48, pattern=r"^[a-z0-9_-]+$")
    tool: str = Field(
        default="",
        max_length=200,
        pattern=r"^[\w-]*$",
        description="None: the whole connector.",
    )
    reason: Prose = Field(default="", max_length=MAX_REASON)


class WithdrawInput(OperationInput):
    id: str = Field(max_length=36)


def ask(caller: Caller, asked: AskInput) -> dict[str, Any]:
    request = access_requests.ask(
        member=caller.member,
        connector=asked.connector,
        tool=asked.tool,
        reason=asked.reason,
        surface=caller.surface,
        client=caller.client,
    )
    return {"request": _request(request), "next_step": "An administrator decides. Asking again changes nothing."}


def list_requests(caller: Caller, asked: PageInput) -> dict[str, Any]:
    rows = AccessRequest.objects.of(caller.organization).filter(member=caller.member)
    found, more = page(rows, asked, name="access_request.list")
    return {"requests": [_request(row) for row in found], **more}


def withdraw(caller: Caller, asked: WithdrawInput) -> dict[str, Any]:
    request_id = parse_id(asked.id)
    if request_id is None:
        raise NotFound("access request")
    request = access_requests.withdraw(
        member=caller.member, request_id=request_id, surface=caller.surface, client=caller.client
    )
    return {"request": _request(request)}


def list_restrictions(caller: Caller, asked: PageInput) -> dict[str, Any]:
    """What applies to the caller; not who wrote it, nor why."""
    member = caller.member
    rows = Restriction.objects.of(caller.organization).filter(Q(role_id=member.role_id) | Q(member=member))
    found, more = page(rows, asked, name="restriction.list")
    exemptions = Exemption.objects.live().filter(member=member)
    return {
        "restrictions": [_restriction(row) for row in found],
        "exemptions": [_names(exemption) for exemption in exemptions],
        **more,
    }


def _request(request: AccessRequest) -> dict[str, Any]:
    """As the asker sees it: who answered stays in the admin."""
    return {
        "id": str(request.pk),
        **_names(request),
        "state": request.state,
        "times_asked": request.times_asked,
        "asked_at": request.created_at.isoformat(),
        **({"answer": request.answer} if request.answer else {}),
    }


def _names(row: AccessRequest | Exemption) -> dict[str, str]:
    return {"connector": row.connector, **({"tool": row.tool} if row.tool else {})}


def _restriction(restriction: Restriction) -> dict[str, Any]:
    return {
        "id": str(restriction.pk),
        "by": "user" if restriction.member_id else "role",
        "mode": restriction.mode,
        "connectors": restriction.connectors,
        "tools": restriction.tools,
    }


registry.register(
    Operation(
        domain="access_request",
        verb="create",
        title="Ask for access",
        description="Asks an administrator for what is restricted.",
        input=AskInput,
        permission=None,
        scope=Scope.WRITE,
        run=ask,
    )
)
registry.register(
    Operation(
        domain="access_request",
        verb="list",
        title="List my access requests",
        description="Your requests for access, and the answers.",
        input=PageInput,
        permission=None,
        scope=Scope.READ,
        run=list_requests,
    )
)
registry.register(
    Operation(
        domain="access_request",
        verb="withdraw",
        title="Withdraw an access request",
        description="Takes back an open request of yours.",
        input=WithdrawInput,
        permission=None,
        scope=Scope.WRITE,
        run=withdraw,
        subject="id",
    )
)
registry.register(
    Operation(
        domain="restriction",
        verb="list",
        title="List my restrictions",
        description="The rules that restrict you, through your role or in person, and the exemptions that you have.",
        input=PageInput,
        permission=Permission.RESTRICTION_VIEW,
        scope=Scope.READ,
        run=list_restrictions,
    )
)
registry.reserve(
    "access_request", "approve", "deny", "resolve", admin_page="admin:accesscontrol_accessrequest_changelist"
)
registry.reserve(
    "restriction", "create", "update", "change", "delete", admin_page="admin:accesscontrol_restriction_changelist"
)
registry.reserve("exemption", "create", "revoke", "delete", admin_page="admin:accesscontrol_exemption_changelist")
