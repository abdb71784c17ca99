"""The audit trail: read, searched and exported; nothing here or anywhere else changes it."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, StreamingHttpResponse
from unfold.decorators import display

from accesscontrol.admin.tenant import TenantAdmin, actor_in
from accesscontrol.audit import exporting
from accesscontrol.models import AuditEvent, Organization, Surface
from accesscontrol.permissions import Permission


@admin.register(AuditEvent)
class AuditEventAdmin(TenantAdmin[AuditEvent]):
    view_permission = Permission.AUDIT_VIEW
    list_display = ("at", "who", "surface", "client", "action", "target", "connection", "outcome", "duration_ms")
    list_filter = ("surface", "actor_kind", "action", "outcome", "organization")
    list_select_related = ("actor__user", "organization")
    search_fields = ("action", "target", "actor__user__email", "request_id")
    date_hierarchy = "at"
    actions = ("export",)
    fields = readonly_fields = (
        "at",
        "who",
        "actor_kind",
        "surface",
        "client",
        "action",
        "target",
        "connection",
        "outcome",
        "duration_ms",
        "request_id",
        "detail",
        "place",
        "hash",
    )

    @display(description="Who", ordering="actor__user__email")
    def who(self, obj: AuditEvent) -> str:
        """An operator is named on their server alone: to an organization's administrator they are nobody's member."""
        return obj.actor.user.email if obj.actor else obj.get_actor_kind_display()

    @display(description="Row of the chain")
    def place(self, obj: AuditEvent) -> int:
        return obj.link.sequence

    @display(description="Hash")
    def hash(self, obj: AuditEvent) -> str:
        return bytes(obj.link.hash).hex()

    @admin.action(description="Export as JSON lines", permissions=["view"])
    def export(self, request: HttpRequest, queryset: QuerySet[AuditEvent]) -> StreamingHttpResponse:
        """The rows chosen, or with “select all” the whole list as it is filtered."""
        for organization in Organization.objects.filter(pk__in=queryset.order_by().values("organization")):
            actor = actor_in(request, organization)
            exporting.record_export([organization], surface=Surface.ADMIN, actor=actor)
        return StreamingHttpResponse(
            exporting.lines(queryset),
            content_type="application/x-ndjson",
            headers={"Content-Disposition": 'attachment; filename="audit.jsonl"'},
        )
