"""A change that a service refuses is told on the page it was made on, in the service's own words."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from unfold.admin import ModelAdmin

from accesscontrol.exceptions import Refusal

_REFUSED = "_elaichi_refused"
"""On the request: what a service said of the form that it holds."""


class RefusalsShown(ModelAdmin):
    """Stands before the admin class whose pages call services."""

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """A refused form is shown again with what was typed; nothing of it was saved (the save is one transaction)."""
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except (Refusal, ValidationError) as refused:
            if request.method != "POST":
                return self._told(request, refused)
            setattr(request, _REFUSED, _words(refused))
        return super().changeform_view(request, object_id, form_url, extra_context)

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form: Any = super().get_form(request, obj, change, **kwargs)
        said = getattr(request, _REFUSED, "")
        return _saying(form, said) if said else form

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
        self.message_user(request, _words(refused), messages.ERROR)
        return HttpResponseRedirect(request.get_full_path())


def _words(refused: Refusal | ValidationError) -> str:
    return " ".join(refused.messages) if isinstance(refused, ValidationError) else str(refused)


def _saying(form: Any, said: str) -> Any:
    """The form, which finds this wrong whatever it is given."""

    class Refused(form):  # type: ignore[misc]
        def clean(self) -> Any:
            super().clean()
            raise ValidationError(said)

    return Refused
