"""Connectors, their tools, and the accounts that reach them."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db import transaction
from django.db.models import Count, F, Q, QuerySet
from django.http import HttpRequest
from unfold.decorators import display
from unfold.widgets import UnfoldAdminPasswordWidget

from accesscontrol.admin.tenant import VersionedAdmin
from accesscontrol.permissions import Permission
from connectors.auth_scheme import CREDENTIAL_FIELDS
from connectors.models import Connection, Connector, Tool


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
    fields = ("organization", "label", "slug", "aliases", "kind", "base_url", "auth", "enabled")

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


class ConnectionForm(forms.ModelForm[Connection]):
    """The credential is write-only: left empty, the stored one stays; it is never sent to a page."""

    secret_1 = forms.CharField(
        required=False,
        label="Token, key or user name",
        widget=UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"}),
        help_text="Stored encrypted and never shown again. Leave empty to keep the stored one.",
    )
    secret_2 = forms.CharField(
        required=False,
        label="Password",
        widget=UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"}),
        help_text="Only for products that ask for a user name and a password.",
    )

    class Meta:
        model = Connection
        fields = ("connector", "owner", "label", "remote_account", "status")

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        connector, owner = cleaned.get("connector"), cleaned.get("owner")
        if connector and owner and connector.organization_id != owner.organization_id:
            self.add_error("owner", "Choose a member of the connector's own organization.")
        if connector:
            self._clean_credential(cleaned, connector)
        return cleaned

    def _clean_credential(self, cleaned: dict[str, Any], connector: Connector) -> None:
        fields = CREDENTIAL_FIELDS[connector.auth_scheme.kind]
        given = [cleaned.get("secret_1", ""), cleaned.get("secret_2", "")][: len(fields)]
        if any(given) and not all(given):
            self.add_error("secret_2", f"{connector.label} needs both: {' and '.join(fields)}.")
        elif not any(given) and fields and not self.instance.credential:
            self.add_error("secret_1", f"{connector.label} needs: {' and '.join(fields)}.")
        self.credential = dict(zip(fields, given, strict=True)) if any(given) else None


@admin.register(Connection)
class ConnectionAdmin(VersionedAdmin[Connection]):
    view_permission = Permission.CONNECTION_MANAGE
    manage_permission = Permission.CONNECTION_MANAGE
    form = ConnectionForm
    list_display = ("label", "connector", "owner", "status_label", "remote_account", "updated_at")
    list_filter = ("status", "connector")
    list_select_related = ("connector__organization", "owner__user")
    search_fields = ("label", "remote_account", "connector__label", "owner__user__email")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Connection]:
        return super().get_queryset(request).defer("credential")

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if form.credential is not None:
            obj.credential = form.credential
        super().save_model(request, obj, form, change)

    @display(
        description="Status",
        ordering="status",
        label={
            "Active": "success",
            "Needs signing in again": "warning",
            "Error": "danger",
            "Disconnected": "danger",
        },
    )
    def status_label(self, obj: Connection) -> str:
        return obj.get_status_display()
