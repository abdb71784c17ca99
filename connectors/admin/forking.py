"""Forking a connector from its page, and pulling from upstream what is picked there."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from unfold.admin import ModelAdmin
from unfold.decorators import action
from unfold.widgets import UnfoldAdminTextInputWidget, UnfoldAdminURLInputWidget

from accesscontrol.admin.tenant import actor_in
from accesscontrol.exceptions import Refusal
from accesscontrol.models import Surface
from connectors.admin.pages import context, stored
from connectors.admin.pull_tables import pull_tables
from connectors.models import Connector
from connectors.services import forks

_FORKING = (
    "A fork is a connector of its own with the same tools: it can go to another address, and its tools can be renamed "
    "and described anew. Nobody's account comes along. Whatever is blocked here is blocked there too."
)


class ForkForm(forms.Form):
    slug = forms.CharField(
        max_length=48,
        widget=UnfoldAdminTextInputWidget,
        help_text="Prefixes the names of its tools and names it in restrictions; it never changes.",
    )
    label = forms.CharField(
        max_length=100, widget=UnfoldAdminTextInputWidget, help_text="Tells it from the original, such as Notion (EU)."
    )
    base_url = forms.URLField(
        required=False,
        assume_scheme="https",
        max_length=500,
        label="Base URL",
        widget=UnfoldAdminURLInputWidget,
        help_text="Where its calls go; empty for the same place.",
    )


class ForkPages(ModelAdmin):
    """The pages of a fork, for the admin of connectors."""

    def has_fork_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        connector = stored(self, request, object_id) if object_id else None
        return bool(self.has_change_permission(request, connector))

    def has_pull_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        connector = stored(self, request, object_id) if object_id else None
        is_fork = connector is None or bool(connector.lineage)
        return is_fork and bool(self.has_change_permission(request, connector))

    @action(description="Fork", url_path="fork", icon="fork_right", permissions=["fork"])
    def fork(self, request: HttpRequest, object_id: str) -> HttpResponse:
        connector = stored(self, request, object_id)
        form = ForkForm(request.POST or None)
        if form.is_valid() and (made := self._forked(request, connector, form)) is not None:
            messages.success(request, f"{made.label} was forked from {connector.label}.")
            return _to(made)
        title = f"Fork {connector.label}"
        shown = context(self, request, title, connector, form=form, does="Fork", explanation=_FORKING)
        return TemplateResponse(request, "admin/connectors/connector/form_page.html", shown)

    def _forked(self, request: HttpRequest, connector: Connector, form: ForkForm) -> Connector | None:
        actor = actor_in(request, connector.organization)
        try:
            return forks.fork(connector=connector, surface=Surface.ADMIN, actor=actor, **form.cleaned_data)
        except ValidationError as error:
            _tell(form, error)
        except Refusal as refusal:
            form.add_error(None, str(refusal))
        return None

    @action(description="Pull from upstream", url_path="pull", icon="download", permissions=["pull"])
    def pull(self, request: HttpRequest, object_id: str) -> HttpResponse:
        fork = stored(self, request, object_id)
        try:
            if request.method == "POST":
                return self._pulled(request, fork)
        except Refusal as refusal:
            messages.error(request, str(refusal))
        try:
            tables = pull_tables(forks.difference_of(fork))
        except Refusal as refusal:
            messages.error(request, str(refusal))
            return _to(fork)
        shown = context(self, request, f"Pull from {fork.forked_from} into {fork.label}", fork, tables=tables)
        return TemplateResponse(request, "admin/connectors/connector/pull.html", shown)

    def _pulled(self, request: HttpRequest, fork: Connector) -> HttpResponse:
        taken = forks.pull(
            fork=fork,
            picks=request.POST.getlist("picks"),
            surface=Surface.ADMIN,
            actor=actor_in(request, fork.organization),
        )
        messages.success(request, f"{len(taken)} of them were taken into {fork.label}.")
        return _to(fork)


def _to(connector: Connector) -> HttpResponse:
    return HttpResponseRedirect(reverse("admin:connectors_connector_change", args=[connector.pk]))


def _tell(form: forms.Form, error: ValidationError) -> None:
    for field, said in _by_field(error):
        form.add_error(field if field in form.fields else None, said)


def _by_field(error: ValidationError) -> Iterable[tuple[str, Any]]:
    return error.message_dict.items() if hasattr(error, "error_dict") else [("", error.messages)]
