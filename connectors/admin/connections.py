"""Accounts as an administrator sees them: that each exists, whose it is and whether it works.

Only its owner changes one or shares it. For the others there is one thing to do, disconnecting it: no role makes
another person's account usable, and no page shows a secret.
"""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.decorators import display
from unfold.widgets import UnfoldAdminPasswordWidget

from accesscontrol.admin.refusals import RefusalsShown
from accesscontrol.admin.tenant import TenantAdmin, actor_in, organization_of
from accesscontrol.exceptions import Refusal
from accesscontrol.models import Surface
from accesscontrol.permissions import Permission
from connectors import account_state
from connectors.admin.account_pages import AccountPages
from connectors.admin.shares import ShareInline, save_shares
from connectors.connecting.forms import labels_of
from connectors.models import Connection, Connector
from connectors.services import connections

_SECRETS = ("secret_1", "secret_2")


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
        label="Password or second key",
        widget=UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"}),
        help_text="Only for products that ask for a user name and a password, or for two keys.",
    )

    class Meta:
        model = Connection
        fields = ("connector", "owner", "label", "remote_account", "status")

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        connector, owner = self._given(cleaned, "connector"), self._given(cleaned, "owner")
        if connector and owner and connector.organization_id != owner.organization_id:
            self.add_error("owner", "Choose a member of the connector's own organization.")
        if connector:
            self._clean_credential(cleaned, connector)
        return cleaned

    def _given(self, cleaned: dict[str, Any], name: str) -> Any:
        """What the form gives, or for a stored connection, where it cannot be changed, what it has."""
        return cleaned.get(name) if self.instance._state.adding else getattr(self.instance, name)

    def _clean_credential(self, cleaned: dict[str, Any], connector: Connector) -> None:
        labels = labels_of(connector.auth_scheme)
        fields, needed = list(labels), " and ".join(labels.values())
        if len(fields) > len(_SECRETS):
            self.add_error("secret_1", f"{connector.label} needs {needed}: connect it by its connect page.")
            return
        given = [cleaned.get(name, "") for name in _SECRETS][: len(fields)]
        if any(given) and not all(given):
            self.add_error("secret_2", f"{connector.label} needs all of these: {needed}.")
        elif not any(given) and fields and not self.instance.credential:
            self.add_error("secret_1", f"{connector.label} needs: {needed}.")
        self.credential = dict(zip(fields, given, strict=True)) if any(given) else None


class ConnectionShareInline(ShareInline):
    fk_name = "connection"


@admin.register(Connection)
class ConnectionAdmin(RefusalsShown, AccountPages, TenantAdmin[Connection]):
    view_permission = Permission.CONNECTION_MANAGE
    manage_permission = Permission.CONNECTION_MANAGE
    form = ConnectionForm
    list_display = ("label", "connector", "owner", "status_label", "why", "remote_account", "updated_at")
    list_filter = ("status", "connector")
    list_select_related = ("connector__organization", "owner__user")
    search_fields = ("label", "remote_account", "connector__label", "owner__user__email")
    inlines = (ConnectionShareInline,)
    actions = ("disconnect",)
    actions_detail: Any = ("connect_again", "transfer")

    def get_readonly_fields(self, request: HttpRequest, obj: Connection | None = None) -> tuple[str, ...]:
        return ("connector", "owner", "why") if obj else ()

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """What would break, instead of Django's list of rows."""
        _, count, missing, protected = super().get_deleted_objects(objs, request)
        return [said for row in objs for said in _what_breaks(row)], count, missing, protected

    def has_change_permission(self, request: HttpRequest, obj: Connection | None = None) -> bool:
        return super().has_change_permission(request, obj) and (obj is None or _is_own(request, obj))

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if form.credential is not None:
            obj.credential = form.credential
        connections.store(connection=obj, surface=Surface.ADMIN, actor=actor_in(request, organization_of(obj)))

    def delete_model(self, request: HttpRequest, obj: Connection) -> None:
        actor = actor_in(request, organization_of(obj))
        connections.delete_as_manager(connection=obj, surface=Surface.ADMIN, actor=actor)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Connection]) -> None:
        for connection in queryset.select_related("connector__organization"):
            self.delete_model(request, connection)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        actor = actor_in(request, organization_of(form.instance))
        assert actor is not None  # the owner, or the page has no shares to change
        save_shares(formset, form.instance, actor)

    @admin.action(description="Disconnect: no call runs through it, its secret is erased", permissions=["change"])
    def disconnect(self, request: HttpRequest, queryset: QuerySet[Connection]) -> None:
        """One transaction each: one refusal does not undo the others."""
        for connection in queryset.select_related("connector__organization"):
            actor = actor_in(request, organization_of(connection))
            if not super().has_change_permission(request, connection):
                continue
            try:
                connections.disconnect_as_manager(connection=connection, surface=Surface.ADMIN, actor=actor)
            except Refusal as refusal:
                self.message_user(request, str(refusal), messages.ERROR)
            else:
                self.message_user(request, f"{connection} was disconnected.", messages.SUCCESS)

    @display(description="Why, and what to do")
    def why(self, obj: Connection) -> str:
        return account_state.reason(obj) or "–"

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


def _what_breaks(connection: Connection) -> list[str]:
    seen = connections.preview_delete(connection=connection)
    said = [f"{connection}: {seen.tools} tools lose it, and its secret is erased"]
    said += [f"{connection}: shared with {', '.join(seen.shared_with)}"] if seen.shared_with else []
    said += [f"{connection}: stops in {', '.join(map(str, seen.stopping))}"] if seen.stopping else []
    said += [f"{connection}: {seen.files} stored files can't be opened any more"] if seen.files else []
    return said


def _is_own(request: HttpRequest, connection: Connection) -> bool:
    actor = actor_in(request, organization_of(connection))
    return actor is not None and actor.pk == connection.owner_id
