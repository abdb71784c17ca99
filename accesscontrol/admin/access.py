"""Grants: which clients act for whom, and how far."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.text import capfirst
from unfold.decorators import display

from accesscontrol.admin.refusals import RefusalsShown
from accesscontrol.admin.tenant import TenantAdmin, actor_in
from accesscontrol.grant_form import GrantChoices
from accesscontrol.grant_words import confinement, destinations, toolbox_names, vouching
from accesscontrol.models import Grant, Surface
from accesscontrol.permissions import Permission
from accesscontrol.services import grant_changes, grants


class GrantForm(GrantChoices, forms.ModelForm[Grant]):
    class Meta:
        model = Grant
        fields = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.offer(self.instance, may_widen=False)


@admin.register(Grant)
class GrantAdmin(RefusalsShown, TenantAdmin[Grant]):
    """Grants are made by signing in or by the command line; here they are seen, narrowed and revoked."""

    view_permission = Permission.TOKEN_MANAGE
    manage_permission = Permission.TOKEN_MANAGE
    form = GrantForm
    list_display = ("client_name", "name_is", "member", "kind", "state", "scope_list", "tools", "last_used_at")
    list_filter = ("kind", ("revoked_at", admin.EmptyFieldListFilter), "member__organization")
    list_select_related = ("member__user", "member__organization", "client")
    search_fields = ("client_name", "member__user__email")
    readonly_fields = (
        "client_name",
        "name_is",
        "answers_go_to",
        "member",
        "kind",
        "scope_list",
        "tools_by_name",
        "created_at",
        "expires_at",
        "last_used_at",
        "revoked_at",
        "revoked_reason",
    )
    actions = ("revoke",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Grant | None = None) -> bool:
        """What has ended has nothing left to choose."""
        return (obj is None or _is_live(obj)) and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Grant | None = None) -> bool:
        return False

    def get_fields(self, request: HttpRequest, obj: Grant | None = None) -> tuple[str, ...]:
        choices = ("allowed", "reach", "only") if obj and self.has_change_permission(request, obj) else ()
        return (*self.readonly_fields, *choices)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        grant_changes.change(
            grant=obj,
            scopes=form.chosen_scopes,
            toolboxes=form.chosen_toolboxes,
            surface=Surface.ADMIN,
            actor=actor_in(request, obj.member.organization),
        )

    @display(description="Identity")
    def name_is(self, obj: Grant) -> str:
        return capfirst(vouching(obj.client)) if obj.client is not None else "–"

    @display(description="Answers go to")
    def answers_go_to(self, obj: Grant) -> str:
        return destinations(obj.client) if obj.client is not None else "–"

    @display(description="Tools")
    def tools(self, obj: Grant) -> str:
        boxes = len(obj.toolboxes)
        return f"Of {boxes} toolbox{'es' if boxes > 1 else ''}" if boxes else "All"

    @display(description="Tools")
    def tools_by_name(self, obj: Grant) -> str:
        return capfirst(confinement(obj, toolbox_names(obj.member)))

    @display(description="State", label={"Live": "success", "Revoked": "danger", "Expired": "warning"})
    def state(self, obj: Grant) -> str:
        if obj.revoked_at:
            return "Revoked"
        return "Live" if _is_live(obj) else "Expired"

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


def _is_live(grant: Grant) -> bool:
    return grant.revoked_at is None and (grant.expires_at is None or grant.expires_at > timezone.now())
