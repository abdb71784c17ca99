"""Connectors and their tools."""

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from unfold.decorators import display

from accesscontrol.admin.refusals import RefusalsShown
from accesscontrol.admin.tenant import TenantAdmin, actor_in, organization_of
from accesscontrol.models import Surface
from accesscontrol.permissions import Permission
from connectors.admin.forking import ForkPages
from connectors.admin.importing import ImportPages
from connectors.admin.overview import overview
from connectors.catalog.changes import effect
from connectors.models import Connection, Connector, Tool
from connectors.services import connectors, tools


@admin.register(Connector)
class ConnectorAdmin(RefusalsShown, ImportPages, ForkPages, TenantAdmin[Connector]):
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
    list_select_related = ("organization",)
    fields = (
        "organization",
        "label",
        "slug",
        "aliases",
        "kind",
        "base_url",
        "hosts",
        "auth",
        "max_concurrent_calls",
        "calls_per_minute",
        "enabled",
    )
    actions_list: Any = ("import_catalog",)
    actions_detail: Any = ("pull", "fork", "reimport")
    change_form_outer_before_template: Any = "admin/connectors/connector/overview.html"

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

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        connector = self.get_object(request, object_id) if object_id else None
        shown = {"overview": overview(connector)} if connector is not None else {}
        return super().changeform_view(request, object_id, form_url, {**(extra_context or {}), **shown})

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        actor = actor_in(request, organization_of(obj))
        if change:
            changes = {name: form.cleaned_data[name] for name in form.changed_data}
            connectors.change(connector=obj, changes=changes, surface=Surface.ADMIN, actor=actor)
        else:
            connectors.create(connector=obj, surface=Surface.ADMIN, actor=actor)

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        connectors.delete(connector=obj, surface=Surface.ADMIN, actor=actor_in(request, organization_of(obj)))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Connector]) -> None:
        for connector in queryset:
            self.delete_model(request, connector)

    @display(description="Tools", ordering="tools_enabled")
    def tool_count(self, obj: Any) -> int:
        return int(obj.tools_enabled)

    @display(description="Active connections", ordering="connections_active")
    def connection_count(self, obj: Any) -> int:
        return int(obj.connections_active)


class ToolForm(forms.ModelForm[Tool]):
    class Meta:
        model = Tool
        fields = ("name", "description", "enabled")

    def clean_name(self) -> str:
        """Refused beside the field; the service asks again under the organization's lock."""
        name = str(self.cleaned_data["name"])
        try:
            tools.require_name(Tool.objects.get(pk=self.instance.pk), name)
        except ValidationError as error:
            raise ValidationError(error.messages) from error
        return name


@admin.register(Tool)
class ToolAdmin(RefusalsShown, TenantAdmin[Tool]):
    """Tools come from a catalog; here they are read, re-described and switched off, and in a fork renamed."""

    view_permission = Permission.CONNECTOR_VIEW
    manage_permission = Permission.CONNECTOR_MANAGE
    form = ToolForm
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

    def get_readonly_fields(self, request: HttpRequest, obj: Tool | None = None) -> tuple[str, ...]:
        read = ("connector", "operation", "deprecated", "annotations", "input_schema")
        return read if obj is not None and obj.connector.lineage else ("name", *read)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Tool | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        actor = actor_in(request, organization_of(obj))
        tools.change(
            tool=obj,
            name=obj.name,
            description=obj.description,
            enabled=obj.enabled,
            surface=Surface.ADMIN,
            actor=actor,
        )

    @display(description="Effect", label={"Reads": "info", "Writes": "warning", "Deletes": "danger"})
    def effect(self, obj: Tool) -> str:
        return effect(obj.annotations).capitalize()
