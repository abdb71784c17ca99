"""Restrictions, grants and the audit trail."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.postgres.forms import SimpleArrayField
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from unfold.decorators import display
from unfold.widgets import UnfoldAdminTextareaWidget

from accesscontrol.admin.tenant import TenantAdmin, actor_in
from accesscontrol.models import AuditEvent, Grant, Restriction, Surface
from accesscontrol.permissions import Permission
from accesscontrol.services import grants, restrictions


class RestrictionForm(forms.ModelForm[Restriction]):
    connectors = SimpleArrayField(
        forms.CharField(),
        required=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2}),
        help_text="Slugs of whole connectors, separated by commas: notion, xero",
    )
    tools = SimpleArrayField(
        forms.CharField(),
        required=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text="Single tools as connector.tool_name, separated by commas: notion.create_page, xero.delete_invoice",
    )

    class Meta:
        model = Restriction
        fields = ("organization", "role", "member", "mode", "connectors", "tools", "note")


@admin.register(Restriction)
class RestrictionAdmin(TenantAdmin[Restriction]):
    view_permission = Permission.RESTRICTION_VIEW
    manage_permission = Permission.RESTRICTION_MANAGE
    form = RestrictionForm
    list_display = ("subject", "mode", "connector_list", "tool_list", "note", "created_by", "created_at")
    list_filter = ("mode", "role", "organization")
    list_select_related = ("role", "member__user", "created_by__user", "organization")
    search_fields = ("connectors", "tools", "note", "role__label", "member__user__email")

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        actor = actor_in(request, obj.organization)
        if not change:
            obj.created_by = actor
        restrictions.save(restriction=obj, surface=Surface.ADMIN, actor=actor)

    def delete_model(self, request: HttpRequest, obj: Restriction) -> None:
        restrictions.delete(restriction=obj, surface=Surface.ADMIN, actor=actor_in(request, obj.organization))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Restriction]) -> None:
        for restriction in queryset.select_related("organization"):
            self.delete_model(request, restriction)

    @display(description="For")
    def subject(self, obj: Restriction) -> str:
        return f"role {obj.role}" if obj.role else str(obj.member)

    @display(description="Connectors")
    def connector_list(self, obj: Restriction) -> str:
        return ", ".join(obj.connectors) or "–"

    @display(description="Tools")
    def tool_list(self, obj: Restriction) -> str:
        shown = ", ".join(obj.tools[:3])
        return f"{shown} and {len(obj.tools) - 3} more" if len(obj.tools) > 3 else shown or "–"


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


@admin.register(AuditEvent)
class AuditEventAdmin(TenantAdmin[AuditEvent]):
    view_permission = Permission.AUDIT_VIEW
    list_display = ("at", "actor", "surface", "action", "target", "connection", "outcome", "duration_ms")
    list_filter = ("surface", "action", "outcome", "organization")
    list_select_related = ("actor__user", "organization")
    search_fields = ("action", "target", "actor__user__email", "request_id")
    date_hierarchy = "at"
