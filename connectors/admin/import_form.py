"""What is asked for an import: where the catalog comes from, and what its connector is called."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from unfold.widgets import (
    UnfoldAdminFileFieldWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
    UnfoldAdminURLInputWidget,
)

from accesscontrol.models import Organization
from connectors.catalog.openapi.loading import MAX_BYTES
from connectors.catalog.sources import load_source
from connectors.models import Connector
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
    server = forms.URLField(
        required=False,
        assume_scheme="https",
        max_length=500,
        label="Or a remote MCP server",
        widget=UnfoldAdminURLInputWidget,
        help_text="Its address. Its tools are read as an account here sees them, or as anybody does.",
    )
    key_header = forms.CharField(
        required=False,
        max_length=100,
        label="Header of its API key",
        widget=UnfoldAdminTextInputWidget,
        help_text="Only for an MCP server that takes an API key: the header's name, never the key.",
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
        }
        is_server = connector.kind == Connector.Kind.MCP
        given |= {"server": connector.base_url} if is_server else {"url": connector.catalog_url}
        for name, value in given.items():
            self.fields[name].initial = value
        for name in ("organization", "slug"):
            self.fields[name].disabled = True

    def clean_url(self) -> str:
        return _web_address(self.cleaned_data["url"])

    def clean_server(self) -> str:
        return _web_address(self.cleaned_data["server"])

    def clean_documents(self) -> list[UploadedFile[Any]]:
        files: list[UploadedFile[Any]] = self.cleaned_data["documents"]
        if len(files) > MAX_FILES or sum(file.size or 0 for file in files) > MAX_BYTES:
            raise ValidationError(f"At most {MAX_FILES} files of {MAX_BYTES // 1024 // 1024} MiB together.")
        return files

    def clean(self) -> dict[str, Any]:
        """A re-import comes with the URL filled in: files that are chosen as well stand before it."""
        cleaned: dict[str, Any] = super().clean() or {}
        given = [name for name in ("documents", "url", "server") if cleaned.get(name)]
        if not given and not self.errors:
            raise ValidationError("Choose a file, or give a URL.")
        if "server" in given and len(given) > 1:
            raise ValidationError("A remote MCP server is a connector of its own: give either it or documents.")
        return cleaned

    def sources(self) -> list[Source]:
        """Raises CatalogError."""
        if files := self.cleaned_data["documents"]:
            return [Source(location=file.name[-500:], content=file.read()) for file in files]
        url = self.cleaned_data["url"]
        return [Source(location=url, content=load_source(url))]


def _web_address(url: str) -> str:
    if url and not url.lower().startswith(("http://", "https://")):
        raise ValidationError("Give an address that starts with https:// or http://.")
    return url
