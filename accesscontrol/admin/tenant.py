"""The admin as a member of one organization sees it: their role's permissions, over their organization's rows.

A superuser runs the server and sees every organization; everybody else sees those where they are an active member.
"""

from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.utils import get_fields_from_path, unquote
from django.db import models, transaction
from django.db.models import ForeignKey, QuerySet
from django.forms import ModelChoiceField
from django.http import Http404, HttpRequest, HttpResponse
from unfold.admin import ModelAdmin

from accesscontrol import versions
from accesscontrol.models import Member, Organization, User
from accesscontrol.permissions import Permission


def memberships(user: Any) -> list[Member]:
    """The signed-in user's active memberships, with roles; read once per request."""
    if not isinstance(user, User) or not user.is_active:
        return []
    if not hasattr(user, "_active_memberships"):
        rows = user.memberships.filter(status=Member.Status.ACTIVE).select_related("role", "organization", "user")
        user._active_memberships = list(rows)  # type: ignore[attr-defined]
    return user._active_memberships  # type: ignore[attr-defined, no-any-return]


def organizations_where(user: Any, permission: Permission) -> QuerySet[Organization]:
    if isinstance(user, User) and user.is_superuser:
        return Organization.objects.all()
    allowed = [member.organization_id for member in memberships(user) if member.may(permission)]
    return Organization.objects.filter(pk__in=allowed)


def may_anywhere(user: Any, permission: Permission) -> bool:
    """Of the memberships read already: every page asks this for each entry of its sidebar."""
    if isinstance(user, User) and user.is_superuser:
        return True
    return any(member.may(permission) for member in memberships(user))


def may_in(user: Any, permission: Permission, organization_id: Any) -> bool:
    if isinstance(user, User) and user.is_superuser:
        return True
    return any(member.organization_id == organization_id and member.may(permission) for member in memberships(user))


def actor_in(request: HttpRequest, organization: Organization) -> Member | None:
    """The member who acts, for the audit trail; None for a superuser from outside the organization."""
    return next((m for m in memberships(request.user) if m.organization_id == organization.pk), None)


class TenantRelatedFilter(admin.RelatedFieldListFilter):
    """Django's own would list every related row of the table, another organization's too."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> Any:
        path = getattr(field.related_model, "tenant_path", "organization")
        allowed = organizations_where(request.user, model_admin.view_permission)
        ordering = self.field_admin_ordering(field, request, model_admin)
        return field.get_choices(include_blank=False, ordering=ordering, limit_choices_to={f"{path}__in": allowed})


class TenantAdmin[ModelT: models.Model](ModelAdmin):
    """Reads with `view_permission`, writes with `manage_permission` (None: nobody), within the user's organizations."""

    view_permission: ClassVar[Permission]
    manage_permission: ClassVar[Permission | None] = None
    compressed_fields = True
    warn_unsaved_form = True
    list_filter_submit = True
    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[ModelT]:
        rows: QuerySet[ModelT] = super().get_queryset(request)
        if isinstance(request.user, User) and request.user.is_superuser:
            return rows
        path = getattr(self.model, "tenant_path", "organization")
        return rows.filter(**{f"{path}__in": organizations_where(request.user, self.view_permission)})

    def _get_obj_does_not_exist_redirect(self, request: HttpRequest, opts: Any, object_id: str) -> HttpResponse:
        """Another organization's row is not there at all: the same answer as for an id that was never given."""
        raise Http404

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Django would tell first that nobody may delete here, and so that the row is there."""
        if self.get_object(request, unquote(object_id)) is None:
            raise Http404
        return super().delete_view(request, object_id, extra_context)

    def formfield_for_foreignkey(
        self, db_field: ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> ModelChoiceField[Any] | None:
        """Choices from the user's own organizations alone."""
        related = db_field.related_model
        path = getattr(related, "tenant_path", "organization")
        if hasattr(related, "tenant_path") or hasattr(related, "organization"):
            allowed = organizations_where(request.user, self.manage_permission or self.view_permission)
            kwargs.setdefault("queryset", related._default_manager.filter(**{f"{path}__in": allowed}))
            if related is Organization and len(allowed) == 1:
                kwargs.setdefault("initial", allowed[0].pk)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        """Filters over related rows offer those of the user's own organizations alone."""
        return [
            (name, TenantRelatedFilter) if isinstance(name, str) and self._is_relation(name) else name
            for name in super().get_list_filter(request)
        ]

    def _is_relation(self, lookup: str) -> bool:
        return bool(get_fields_from_path(self.model, lookup)[-1].is_relation)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return may_anywhere(request.user, self.view_permission)

    def has_view_permission(self, request: HttpRequest, obj: ModelT | None = None) -> bool:
        return self._may(request, self.view_permission, obj)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self._may(request, self.manage_permission, None)

    def has_change_permission(self, request: HttpRequest, obj: ModelT | None = None) -> bool:
        return self._may(request, self.manage_permission, obj)

    def has_delete_permission(self, request: HttpRequest, obj: ModelT | None = None) -> bool:
        return self._may(request, self.manage_permission, obj)

    def _may(self, request: HttpRequest, permission: Permission | None, obj: ModelT | None) -> bool:
        if permission is None:
            return False
        if obj is None:
            return may_anywhere(request.user, permission)
        return may_in(request.user, permission, _organization_id_of(obj))


class VersionedAdmin[ModelT: models.Model](TenantAdmin[ModelT]):
    """For rows that decide what members reach: every change bumps the organization's version in its transaction."""

    @transaction.atomic
    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        versions.bump(organization_of(obj))
        super().save_model(request, obj, form, change)

    @transaction.atomic
    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        versions.bump(organization_of(obj))
        super().delete_model(request, obj)

    @transaction.atomic
    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        for obj in queryset:
            self.delete_model(request, obj)


def _organization_id_of(obj: Any) -> Any:
    """As `organization_of`, without reading the organization itself."""
    path = getattr(obj, "tenant_path", "organization")
    if path == "pk":
        return obj.pk
    *steps, last = path.split("__")
    for step in steps:
        obj = getattr(obj, step)
    return getattr(obj, f"{last}_id")


def organization_of(obj: Any) -> Organization:
    """Follows the model's `tenant_path` to its organization."""
    path = getattr(obj, "tenant_path", "organization")
    for step in () if path == "pk" else path.split("__"):
        obj = getattr(obj, step)
    assert isinstance(obj, Organization)
    return obj
