"""Connectors and their tools."""

from typing import Any

from django.contrib import admin
from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.http import HttpRequest
from unfold.decorators import display

from accesscontrol.admin.tenant import VersionedAdmin
from accesscontrol.permissions import Permission
from connectors.models import Connection, Connector, Tool
from connectors.services import destinations


@admin.register(Connector)
class ConnectorAdmin(VersionedAdmin[Connector]):
    view_permission = Permission.CONNECTOR_VIEW
    manage_permission = Permission.CONNECTOR_MANAGE
    list_display = (
        "label",
        "slug",
        "kind",
        "enabled",
        "tool_count",
        "connection_count",
        "base_url",
        "updated_at",
    )
    list_filter = ("kind", "enabled", "organization")
    search_fields = ("label", "slug", "base_url")
    fields = ("organization", "label", "slug", "aliases", "kind", "base_url", "hosts", "auth", "enabled")

    def get_readonly_fields(self, request: HttpRequest, obj: Connector | None = None) -> tuple[str, ...]:
        return ("organization", "slug", "kind") if obj else ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Connector]:
        return (
            super()
            .get_queryset(request)
            .annotate(
                tools_enabled=Count("tools", filter=Q(tools__enabled=True), distinct=True),
                connections_active=Count(
                    "connections", filter=Q(connections__status=Connection.Status.ACTIVE), distinct=True
                ),
            )
        )

    @transaction.atomic
    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if change:
            destinations.distrust_if_moved(obj, form.initial["base_url"])

    @display(description="Tools", ordering="tools_enabled")
    def tool_count(self, obj: Any) -> int:
        return int(obj.tools_enabled)

    @display(description="Active connections", ordering="connections_active")
    def connection_count(self, obj: Any) -> int:
        return int(obj.connections_active)


@admin.register(Tool)
class ToolAdmin(VersionedAdmin[Tool]):
    """Tools come from a catalog; here they are read, re-described and switched off."""

    view_permission = Permission.CONNECTOR_VIEW
    manage_permission = Permission.CONNECTOR_MANAGE
    list_display = ("name", "connector", "effect", "enabled", "deprecated", "operation")
    list_filter = ("enabled", "deprecated", "connector")
    list_select_related = ("connector__organization",)
    search_fields = ("name", "operation", "description", "connector__label")
    fields = (
        "connector",
        "name",
        "operation",
        "description",
        "enabled",
        "deprecated",
        "annotations",
        "input_schema",
    )
    readonly_fields = ("connector", "name", "operation", "deprecated", "annotations", "input_schema")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Tool | None = None) -> bool:
        return False

    @transaction.atomic
    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        Connector.objects.filter(pk=obj.connector_id).update(catalog_version=F("catalog_version") + 1)

    @display(description="Effect", label={"Reads": "info", "Writes": "warning", "Deletes": "danger"})
    def effect(self, obj: Tool) -> str:
        if obj.annotations.get("destructiveHint"):
            return "Deletes"
        return "Reads" if obj.annotations.get("readOnlyHint") else "Writes"
