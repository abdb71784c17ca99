"""Toolboxes as people keep them: their own and those shared with them, their tools, and whom they are shared with.

Whoever has `toolbox:manage` sees that others' exist, and disables or deletes them: no role changes what another
person's toolbox holds, and none gives reach of its tools.
"""

from typing import Any

from django.contrib import admin, messages
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from unfold.decorators import display

from accesscontrol.admin.refusals import RefusalsShown
from accesscontrol.admin.tenant import TenantAdmin, actor_in, memberships, organization_of, organizations_where
from accesscontrol.exceptions import Refusal
from accesscontrol.models import Surface, User
from accesscontrol.permissions import Permission
from connectors.admin.shares import ShareInline, save_shares
from connectors.admin.toolbox_tools import FrozenToolInline, save_tools
from connectors.models import FrozenTool, Level, Share, Toolbox
from connectors.reach import reaches, toolboxes_within_reach
from connectors.services import toolboxes

TEXTS = ("name", "description", "skill", "is_template", "enabled")


class ToolboxShareInline(ShareInline):
    fk_name = "toolbox"


@admin.register(Toolbox)
class ToolboxAdmin(RefusalsShown, TenantAdmin[Toolbox]):
    view_permission = Permission.TOOLBOX_VIEW
    manage_permission = Permission.TOOLBOX_CREATE
    list_display = ("name", "owner", "tool_count", "is_template", "enabled", "used_by", "updated_at")
    list_filter = ("is_template", "enabled")
    list_select_related = ("organization", "owner__user")
    search_fields = ("name", "description", "owner__user__email")
    readonly_fields = ("owner", "used_by", "stamped_from")
    inlines = (FrozenToolInline, ToolboxShareInline)
    actions = ("disable",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Toolbox]:
        rows = super().get_queryset(request).annotate(tools=Count("frozen_tools", distinct=True))
        rows = rows.prefetch_related("shares__member__user", "shares__team")
        if isinstance(request.user, User) and request.user.is_superuser:
            return rows
        managed = Q(organization__in=organizations_where(request.user, Permission.TOOLBOX_MANAGE))
        for member in memberships(request.user):
            managed |= Q(pk__in=toolboxes_within_reach(member, at_least=Level.VIEW).values("pk"))
        return rows.filter(managed)

    def get_fields(self, request: HttpRequest, obj: Toolbox | None = None) -> tuple[str, ...]:
        return (*TEXTS, *self.readonly_fields) if obj else TEXTS[:-1]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return bool(_creators(request)) and super().has_add_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Toolbox | None = None) -> bool:
        return super().has_change_permission(request, obj) and (obj is None or _edits(request, obj))

    def has_delete_permission(self, request: HttpRequest, obj: Toolbox | None = None) -> bool:
        return self.has_change_permission(request, obj) or self._may(request, Permission.TOOLBOX_MANAGE, obj)

    def has_manage_permission(self, request: HttpRequest) -> bool:
        return self._may(request, Permission.TOOLBOX_MANAGE, None)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change:
            actor = _creators(request)[0]
            given = {name: form.cleaned_data[name] for name in TEXTS[:-1]}
            made = toolboxes.create(surface=Surface.ADMIN, actor=actor, **given)
            obj.pk, obj._state.adding, obj.organization, obj.owner = made.pk, False, made.organization, made.owner
        elif form.changed_data:
            given = {name: form.cleaned_data[name] for name in form.changed_data}
            toolboxes.change(toolbox=obj, surface=Surface.ADMIN, actor=_actor(request, obj), **given)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        actor = _actor(request, form.instance)
        if formset.model is FrozenTool:
            save_tools(formset, form.instance, actor)
        else:
            save_shares(formset, form.instance, actor)

    def delete_model(self, request: HttpRequest, obj: Toolbox) -> None:
        actor = actor_in(request, obj.organization)
        if _edits(request, obj):
            toolboxes.delete(toolbox=obj, surface=Surface.ADMIN, actor=_actor(request, obj))
        else:
            toolboxes.delete_as_manager(toolbox=obj, surface=Surface.ADMIN, actor=actor)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Toolbox]) -> None:
        for toolbox in queryset.select_related("organization", "owner__user"):
            self.delete_model(request, toolbox)

    @admin.action(description="Disable: nobody's client has its tools", permissions=["manage"])
    def disable(self, request: HttpRequest, queryset: QuerySet[Toolbox]) -> None:
        """One transaction each: one refusal does not undo the others."""
        for toolbox in queryset.select_related("organization"):
            actor = actor_in(request, toolbox.organization)
            try:
                toolboxes.disable_as_manager(toolbox=toolbox, surface=Surface.ADMIN, actor=actor)
            except Refusal as refusal:
                self.message_user(request, str(refusal), messages.ERROR)
            else:
                self.message_user(request, f"{toolbox} was disabled.", messages.SUCCESS)

    @display(description="Tools", ordering="tools")
    def tool_count(self, obj: Any) -> int:
        return int(obj.tools)

    @display(description="Used by")
    def used_by(self, obj: Toolbox) -> str:
        return ", ".join(sorted(map(_said, obj.shares.all()))) or "its owner alone"


def _said(share: Share) -> str:
    return f"{share.grantee_label} ({share.get_level_display().lower()})"


def _edits(request: HttpRequest, toolbox: Toolbox) -> bool:
    actor = actor_in(request, organization_of(toolbox))
    return actor is not None and reaches(actor, toolbox, at_least=Level.EDIT)


def _creators(request: HttpRequest) -> list[Any]:
    """The memberships in which a toolbox can be made; of several, the first is meant."""
    return [member for member in memberships(request.user) if member.may(Permission.TOOLBOX_CREATE)]


def _actor(request: HttpRequest, toolbox: Toolbox) -> Any:
    actor = actor_in(request, toolbox.organization)
    assert actor is not None  # who may change it is a member, or the page is read-only
    return actor
