"""Importing a catalog from the connector pages: documents are given, their effect is shown, and then it happens."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from unfold.admin import ModelAdmin
from unfold.decorators import action

from accesscontrol.admin.tenant import actor_in, may_anywhere, organizations_where
from accesscontrol.exceptions import Refusal
from accesscontrol.models import Surface
from accesscontrol.permissions import Permission
from connectors.admin.import_form import ImportForm
from connectors.admin.import_tables import ImportTables
from connectors.admin.pages import context, stored
from connectors.catalog.document import CatalogError
from connectors.catalog.report import ImportReport
from connectors.models import Connector, PendingImport
from connectors.services import imports


class ImportPages(ModelAdmin):
    """The pages of an import, for the admin of connectors."""

    def get_urls(self) -> list[URLPattern]:
        page = path(
            "import/<uuid:pending_id>/",
            self.admin_site.admin_view(self.import_preview),
            name="connectors_connector_import_preview",
        )
        return [page, *super().get_urls()]

    def has_import_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        if object_id is None:
            return may_anywhere(request.user, Permission.CONNECTOR_MANAGE)
        connector: Connector = stored(self, request, object_id)
        return connector.forked_from_id is None and bool(self.has_change_permission(request, connector))

    @action(description="Import a catalog", url_path="import", icon="upload_file", permissions=["import"])
    def import_catalog(self, request: HttpRequest) -> HttpResponse:
        return self._import_form(request, None)

    @action(description="Import again", url_path="reimport", icon="upload_file", permissions=["import"])
    def reimport(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._import_form(request, stored(self, request, object_id))

    def import_preview(self, request: HttpRequest, pending_id: Any) -> HttpResponse:
        """Shown again, or said yes to."""
        pending = self._pending(request, pending_id)
        try:
            if request.method == "POST":
                return self._imported(request, pending)
        except (Refusal, CatalogError) as error:
            messages.error(request, str(error))
        try:
            return self._preview(request, pending, imports.preview(pending))
        except CatalogError as error:
            messages.error(request, str(error))
            return HttpResponseRedirect(reverse("admin:connectors_connector_import_catalog"))

    def _import_form(self, request: HttpRequest, connector: Connector | None) -> HttpResponse:
        form = ImportForm(
            request.POST or None,
            request.FILES or None,
            organizations=organizations_where(request.user, Permission.CONNECTOR_MANAGE),
            connector=connector,
        )
        if form.is_valid():
            try:
                return self._preview(request, *self._propose(request, form))
            except CatalogError as error:
                form.add_error(None, str(error))
        title = f"Import {connector.label} again" if connector else "Import a catalog"
        shown = context(self, request, title, connector, form=form, does="Show what it would do")
        return TemplateResponse(request, "admin/connectors/connector/form_page.html", shown)

    def _propose(self, request: HttpRequest, form: ImportForm) -> tuple[PendingImport, ImportReport]:
        given = form.cleaned_data
        into: dict[str, Any] = {name: given[name] for name in ("organization", "slug", "label")}
        into |= {"user": request.user, "now": timezone.now()}
        if given["server"]:
            return imports.propose_server(url=given["server"], key_header=given["key_header"], **into)
        return imports.propose(sources=form.sources(), base_url=given["base_url"], **into)

    def _preview(self, request: HttpRequest, pending: PendingImport, report: ImportReport) -> HttpResponse:
        connector = None if report.connector._state.adding else report.connector
        shown = context(
            self,
            request,
            f"Import {pending.label}: what it would do",
            connector,
            pending=pending,
            report=report,
            tables=ImportTables(report),
            seen=imports.digest(report),
        )
        return TemplateResponse(request, "admin/connectors/connector/import_preview.html", shown)

    def _imported(self, request: HttpRequest, pending: PendingImport) -> HttpResponse:
        report = imports.apply(
            pending=pending,
            seen=request.POST.get("seen", ""),
            force="force" in request.POST,
            surface=Surface.ADMIN,
            actor=actor_in(request, pending.organization),
        )
        messages.success(request, f"{report.connector.label} was imported: {report.summary}.")
        return HttpResponseRedirect(reverse("admin:connectors_connector_change", args=[report.connector.pk]))

    def _pending(self, request: HttpRequest, pending_id: Any) -> PendingImport:
        """Nobody else's, and no longer than it is kept."""
        found = PendingImport.objects.filter(
            pk=pending_id,
            user=request.user,  # type: ignore[misc]  # staff
            expires_at__gt=timezone.now(),
            organization__in=organizations_where(request.user, Permission.CONNECTOR_MANAGE),
        ).select_related("organization")
        if (pending := found.first()) is None:
            raise Http404
        return pending
