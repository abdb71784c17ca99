"""Roles: the built-in ones are shown, custom ones are written."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from unfold.decorators import display

from accesscontrol.admin.refusals import RefusalsShown
from accesscontrol.admin.tenant import TenantAdmin, actor_in
from accesscontrol.models import Member, Role, Surface
from accesscontrol.permissions import Permission
from accesscontrol.services import roles


@admin.register(Role)
class RoleAdmin(RefusalsShown, TenantAdmin[Role]):
    view_permission = Permission.ROLE_VIEW
    manage_permission = Permission.ROLE_MANAGE
    list_display = ("label", "slug", "built_in", "permission_count", "member_count", "organization")
    list_filter = ("built_in", "organization")
    list_select_related = ("organization",)
    search_fields = ("label", "slug")
    fields = ("organization", "label", "slug", "permissions")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Role]:
        present = Count("members", filter=~Q(members__status=Member.Status.REMOVED))
        return super().get_queryset(request).annotate(present_members=present)

    def get_readonly_fields(self, request: HttpRequest, obj: Role | None = None) -> tuple[str, ...]:
        """Rules name a role by its slug, so that stays."""
        return ("organization", "slug") if obj else ()

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "permissions":
            return forms.MultipleChoiceField(
                choices=[(p.value, p.value) for p in Permission],
                widget=forms.CheckboxSelectMultiple,
                required=False,
            )
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    def has_change_permission(self, request: HttpRequest, obj: Role | None = None) -> bool:
        return not (obj and obj.built_in) and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Role | None = None) -> bool:
        return not (obj and obj.built_in) and super().has_delete_permission(request, obj)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        given: dict[str, Any] = {"label": obj.label, "permissions": obj.permissions}
        given |= {"surface": Surface.ADMIN, "actor": actor_in(request, obj.organization)}
        if change:
            roles.change(role=obj, **given)
            return
        created = roles.create(organization=obj.organization, slug=obj.slug, **given)
        obj.pk, obj._state.adding = created.pk, False

    def delete_model(self, request: HttpRequest, obj: Role) -> None:
        roles.delete(role=obj, surface=Surface.ADMIN, actor=actor_in(request, obj.organization))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Role]) -> None:
        for role in queryset.select_related("organization"):
            self.delete_model(request, role)

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[Any], dict[str, int], set[str], list[Any]]:
        """Who has the role stands in the way of its end, and the service says so."""
        deleted, counts, missing, _ = super().get_deleted_objects(objs, request)
        return deleted, counts, missing - {Member._meta.verbose_name}, []

    @display(description="Permissions")
    def permission_count(self, obj: Role) -> int:
        return len(obj.permissions)

    @display(description="Members", ordering="present_members")
    def member_count(self, obj: Any) -> int:
        return int(obj.present_members)
