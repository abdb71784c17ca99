"""The rules that restrict a role or a member."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.postgres.forms import SimpleArrayField
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.decorators import display
from unfold.widgets import UnfoldAdminTextareaWidget, UnfoldBooleanWidget

from accesscontrol.admin.applied import AppliedColumn
from accesscontrol.admin.refusals import RefusalsShown
from accesscontrol.admin.tenant import TenantAdmin, actor_in
from accesscontrol.models import Restriction, Surface
from accesscontrol.permissions import Permission
from accesscontrol.services import restrictions


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
    denies_everything = forms.BooleanField(
        required=False,
        label="Deny everything",
        widget=forms.HiddenInput,
        help_text="Yes, this rule is to name nothing.",
    )

    class Meta:
        model = Restriction
        fields = ("organization", "role", "member", "mode", "connectors", "tools", "note")

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        names_nothing = cleaned.get("connectors") == [] and cleaned.get("tools") == []
        if cleaned.get("mode") == Restriction.Mode.ALLOW and names_nothing:
            self._confirm(cleaned)
        return cleaned

    def _confirm(self, cleaned: dict[str, Any]) -> None:
        """The box to tick appears with the warning: such a rule locks everybody out whom it is for."""
        self.fields["denies_everything"].widget = UnfoldBooleanWidget()
        if not cleaned.get("denies_everything"):
            subject = cleaned.get("role") or cleaned.get("member") or "whoever it is for"
            self.add_error(
                "denies_everything",
                f"An allow rule that names nothing denies {subject} every connector and tool. Tick this to confirm it.",
            )


@admin.register(Restriction)
class RestrictionAdmin(AppliedColumn, RefusalsShown, TenantAdmin[Restriction]):
    view_permission = Permission.RESTRICTION_VIEW
    manage_permission = Permission.RESTRICTION_MANAGE
    form = RestrictionForm
    fields = ("organization", "role", "member", "mode", "connectors", "tools", "note", "denies_everything")
    list_display = ("subject", "mode", "connector_list", "tool_list", "note", "created_by", "created_at", "applied")
    list_filter = ("mode", "role", "organization")
    list_select_related = ("role", "member__user", "created_by__user", "organization")
    search_fields = ("connectors", "tools", "note", "role__label", "member__user__email")

    def get_readonly_fields(self, request: HttpRequest, obj: Restriction | None = None) -> tuple[str, ...]:
        return ("organization",) if obj else ()

    def get_fields(self, request: HttpRequest, obj: Restriction | None = None) -> tuple[str, ...]:
        may_change = obj is None or self.has_change_permission(request, obj)
        return self.fields if may_change else self.fields[:-1]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        restrictions.store(restriction=obj, surface=Surface.ADMIN, actor=actor_in(request, obj.organization))
        for warning in restrictions.warnings(obj):
            self.message_user(request, warning, messages.WARNING)

    def delete_model(self, request: HttpRequest, obj: Restriction) -> None:
        restrictions.delete(restriction=obj, surface=Surface.ADMIN, actor=actor_in(request, obj.organization))

    @transaction.atomic
    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Restriction]) -> None:
        """All of them or, where one is refused, none."""
        for restriction in queryset.select_related("organization").order_by("organization_id", "pk"):
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
