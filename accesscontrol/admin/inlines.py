"""Rows shown within the page of what they belong to, which is saved through services by that page."""

from typing import Any

from django.db.models import Model, QuerySet
from django.http import HttpRequest
from unfold.admin import TabularInline


class ServiceInline(TabularInline):
    """Whoever may view or change the parent may do so with its rows; there are none before the parent is stored."""

    def choices_for(self, field: str, parent: Any) -> QuerySet[Any] | None:
        """What a field that refers to other rows offers, of the parent's own organization."""
        raise NotImplementedError

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Django would ask here for a permission without saying for which parent; `get_formset` narrows to its rows."""
        rows: QuerySet[Any] = self.model._default_manager.get_queryset()
        return rows

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        formset = super().get_formset(request, obj, **kwargs)
        for name, field in formset.form.base_fields.items():
            if hasattr(field, "queryset") and name != self.fk_name:
                field.queryset = field.queryset.none() if obj is None else self.choices_for(name, obj)
        return formset

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return obj is not None and bool(self._parent_admin.has_view_permission(request, obj))

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return obj is not None and bool(self._parent_admin.has_change_permission(request, obj))

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.has_change_permission(request, obj)

    @property
    def _parent_admin(self) -> Any:
        return self.admin_site.get_model_admin(self.parent_model)
