"""Importing a catalog from the connector pages: documents are given, their effect is shown, and then it happens."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from unfold.admin import ModelAdmin
from unfold.decorators import action
from unfold.widgets import (
    UnfoldAdminFileFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
    UnfoldAdminURLInputWidget,
)

from accesscontrol.admin.tenant import actor_in, organizations_where
from accesscontrol.exceptions import Refusal
from accesscontrol.models import Organization, Surface
from accesscontrol.permissions import Permission
from connectors.admin.import_tables import ImportTables
from connectors.admin.pages import context, stored
from connectors.catalog.document import CatalogError
from connectors.catalog.openapi.loading import MAX_BYTES
from connectors.catalog.report import ImportReport
from connectors.catalog.sources import load_source
from connectors.models import Connector, PendingImport
from connectors.services import imports
from connectors.services.imports import Source

MAX_FILES = 20


class FilesWidget(UnfoldAdminFileFieldWidget):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """As many files as were chosen."""

    widget = FilesWidget(attrs={"multiple": True})

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile[Any]]:
        given = data if isinstance(data, (list, tuple)) else [data]
        return [found for one in given if (found := super(FilesField, self).clean(one, initial))]


class ImportForm(forms.Form):
    organization = forms.ModelChoiceField(queryset=Organization.objects.none(), widget=UnfoldAdminSelectWidget)
    documents = FilesField(
        label="Files",
        required=False,
        help_text="OpenAPI 2.0, 3.0 or 3.1, as JSON or YAML, or what export_catalog wrote. "
        "Several files of one product become one connector; the first says what it is called.",
    )
    url = forms.URLField(
        required=False,
        assume_scheme="https",
        max_length=500,
        label="Or a URL",
        widget=UnfoldAdminURLInputWidget,
        help_text="The address of such a document.",
    )
    slug = forms.CharField(
        max_length=48,
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text="Prefixes the names of its tools and names it in restrictions; it never changes. "
        "A connector that has it already is renewed. Exported catalogs hold their own.",
    )
    label = forms.CharField(
        max_length=100,
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text="The product's name, as people write it. Exported catalogs hold their own.",
    )
    base_url = forms.URLField(
        required=False,
        assume_scheme="https",
        max_length=500,
        label="Base URL",
        widget=UnfoldAdminURLInputWidget,
        help_text="Only where calls are not to go where the document says. "
        "If it is another host than before, everybody connects their account anew.",
    )

    def __init__(
        self, *args: Any, organizations: QuerySet[Organization], connector: Connector | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["organization"].queryset = organizations  # type: ignore[attr-defined]
        only = list(organizations[:2])
        if len(only) == 1:
            self.fields["organization"].initial = only[0]
        if connector is not None:
            self._renew(connector)

    def _renew(self, connector: Connector) -> None:
        given = {
            "organization": connector.organization_id,
            "slug": connector.slug,
            "label": connector.label,
            "url": connector.catalog_url,
        }
        for name, value in given.items():
            self.fields[name].initial = value
        for name in ("organization", "slug"):
            self.fields[name].disabled = True

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"]
        if url and not url.lower().startswith(("http://", "https://")):
            raise ValidationError("Give an address that starts with https:// or http://.")
        return url

    def clean_documents(self) -> list[UploadedFile[Any]]:
        files: list[UploadedFile[Any]] = self.cleaned_data["documents"]
        if len(files) > MAX_FILES or sum(file.size or 0 for file in files) > MAX_BYTES:
            raise ValidationError(f"At most {MAX_FILES} files of {MAX_BYTES // 1024 // 1024} MiB together.")
        return files

    def clean(self) -> dict[str, Any]:
        """A re-import comes with the URL filled in: files that are chosen as well stand before it."""
        cleaned: dict[str, Any] = super().clean() or {}
        if not cleaned.get("documents") and not cleaned.get("url") and not self.errors:
            raise ValidationError("Choose a file, or give a URL.")
        return cleaned

    def sources(self) -> list[Source]:
        """Raises CatalogError."""
        if files := self.cleaned_data["documents"]:
            return [Source(location=file.name[-500:], content=file.read()) for file in files]
        url = self.cleaned_data["url"]
        return [Source(location=url, content=load_source(url))]


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
            return organizations_where(request.user, Permission.CONNECTOR_MANAGE).exists()
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
        return imports.propose(
            organization=given["organization"],
            user=request.user,  # type: ignore[arg-type]  # staff
            sources=form.sources(),
            slug=given["slug"],
            label=given["label"],
            base_url=given["base_url"],
            now=timezone.now(),
        )

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
