"""A change that a service refuses is told on the page it was made on, in the service's own words."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from unfold.admin import ModelAdmin

from accesscontrol.exceptions import Refusal


class RefusalsShown(ModelAdmin):
    """Stands before the admin class whose pages call services."""

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except (Refusal, ValidationError) as refused:
            return self._told(request, refused)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        try:
            return super().delete_view(request, object_id, extra_context)
        except (Refusal, ValidationError) as refused:
            return self._told(request, refused)

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        try:
            return super().changelist_view(request, extra_context)
        except (Refusal, ValidationError) as refused:
            return self._told(request, refused)

    def _told(self, request: HttpRequest, refused: Refusal | ValidationError) -> HttpResponse:
        said = " ".join(refused.messages) if isinstance(refused, ValidationError) else str(refused)
        self.message_user(request, said, messages.ERROR)
        return HttpResponseRedirect(request.get_full_path())
