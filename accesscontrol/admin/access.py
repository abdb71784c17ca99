"""Grants and the audit trail."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from unfold.decorators import display

from accesscontrol.admin.tenant import TenantAdmin, actor_in
from accesscontrol.models import Grant, Surface
from accesscontrol.permissions import Permission
from accesscontrol.services import grants


@admin.register(Grant)
class GrantAdmin(TenantAdmin[Grant]):
    """Grants are made by signing in or by the command line; here they are seen and revoked."""

    view_permission = Permission.TOKEN_MANAGE
    manage_permission = Permission.TOKEN_MANAGE
    list_display = ("client_name", "member", "kind", "state", "scope_list", "last_used_at", "expires_at")
    list_filter = ("kind", ("revoked_at", admin.EmptyFieldListFilter), "member__organization")
    list_select_related = ("member__user", "member__organization")
    search_fields = ("client_name", "member__user__email")
    fields = readonly_fields = (
        "client_name",
        "member",
        "kind",
        "scopes",
        "created_at",
        "expires_at",
        "last_used_at",
        "revoked_at",
        "revoked_reason",
    )
    actions = ("revoke",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Grant | None = None) -> bool:
        return False

    @display(description="State", label={"Live": "success", "Revoked": "danger", "Expired": "warning"})
    def state(self, obj: Grant) -> str:
        if obj.revoked_at:
            return "Revoked"
        return "Expired" if obj.expires_at and obj.expires_at <= timezone.now() else "Live"

    @display(description="Scopes")
    def scope_list(self, obj: Grant) -> str:
        return ", ".join(obj.scopes)

    @admin.action(description="Revoke: the next call is refused", permissions=["change"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[Grant]) -> None:
        ended = 0
        for grant in queryset.select_related("member__organization", "member__user"):
            if self.has_change_permission(request, grant):
                actor = actor_in(request, grant.member.organization)
                reason = "revoked by an administrator"
                ended += grants.revoke(grant=grant, reason=reason, surface=Surface.ADMIN, actor=actor)
        self.message_user(request, f"{ended} grants were revoked.", messages.SUCCESS)
