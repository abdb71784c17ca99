"""The operations over one's own grants: which clients act for the caller, and ending one.

None is made here, at any scope: a client that could would hand out more than it was given.
"""

from typing import Any

from django.utils import timezone
from pydantic import Field

from accesscontrol.caller import Caller
from accesscontrol.exceptions import NotFound
from accesscontrol.models import Grant
from accesscontrol.models.grant import GrantQuerySet
from accesscontrol.operation import Operation, OperationInput, registry
from accesscontrol.pagination import PageInput, page
from accesscontrol.permissions import Scope
from accesscontrol.services import grants
from accesscontrol.tenancy import with_id


class RevokeInput(OperationInput):
    grant: str = Field(max_length=36)


def list_grants(caller: Caller, asked: PageInput) -> dict[str, Any]:
    found, more = page(_in_force(caller), asked, name="grant.list")
    return {"grants": [_grant(caller, grant) for grant in found], **more}


def revoke(caller: Caller, asked: RevokeInput) -> dict[str, Any]:
    grant = with_id(_in_force(caller), asked.grant).first()
    if grant is None:
        raise NotFound("grant")
    grants.revoke(grant=grant, reason="ended by its owner", surface=caller.surface, actor=caller.member)
    return {"id": str(grant.pk), "client": grant.client_name, "revoked": True}


def _in_force(caller: Caller) -> GrantQuerySet:
    return Grant.objects.live(timezone.now()).filter(member=caller.member)


def _grant(caller: Caller, grant: Grant) -> dict[str, Any]:
    return {
        "id": str(grant.pk),
        "client": grant.client_name,
        "kind": grant.kind,
        "scopes": grant.scopes,
        "created_at": grant.created_at.isoformat(),
        "expires_at": grant.expires_at.isoformat() if grant.expires_at else None,
        "last_used_at": grant.last_used_at.isoformat() if grant.last_used_at else None,
        "is_this_client": grant.pk == caller.grant_id,
    }


registry.register(
    Operation(
        domain="grant",
        verb="list",
        title="List my clients",
        description="The clients and tokens that act for you.",
        input=PageInput,
        permission=None,
        scope=Scope.READ,
        run=list_grants,
    )
)
registry.register(
    Operation(
        domain="grant",
        verb="revoke",
        title="End a client's access",
        description="Ends one at once. It has to sign in again.",
        input=RevokeInput,
        permission=None,
        scope=Scope.DESTRUCTIVE,
        run=revoke,
        subject="grant",
    )
)
registry.reserve("grant", "create", "update", admin_page="admin:accesscontrol_grant_changelist")
registry.reserve("token", "create", "list", "revoke", "delete", admin_page="admin:accesscontrol_grant_changelist")
