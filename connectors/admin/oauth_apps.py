"""The organization's OAuth applications; no page shows a client secret."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.decorators import display
from unfold.widgets import UnfoldAdminPasswordWidget, UnfoldAdminTextInputWidget

from accesscontrol.admin.refusals import RefusalsShown
from accesscontrol.admin.tenant import TenantAdmin, actor_in, organization_of
from accesscontrol.models import Surface
from accesscontrol.permissions import Permission
from connectors.credentials.oauth.addresses import callback_url
from connectors.models import OAuthApp
from connectors.services import oauth_apps


class OAuthAppForm(forms.ModelForm[OAuthApp]):
    """The client secret is write-only, as an account's credential is."""

    secret = forms.CharField(
        required=False,
        label="Client secret",
        widget=UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"}),
        help_text="Stored encrypted and never shown again. Leave empty to keep the stored one.",
    )
    scopes = forms.CharField(
        required=False,
        widget=UnfoldAdminTextInputWidget(),
        help_text="Asked for when somebody connects, with spaces between them. Empty: what the product gives.",
    )

    class Meta:
        model = OAuthApp
        fields = (
            "connector",
            "grant_type",
            "client_id",
            "client_authentication",
            "authorization_url",
            "token_url",
            "revocation_url",
            "issuer",
            "scopes",
            "authorization_parameters",
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial["scopes"] = " ".join(self.instance.scopes)

    def clean_scopes(self) -> list[str]:
        return list(dict.fromkeys(self.cleaned_data["scopes"].split()))

    def _post_clean(self) -> None:
        """The model's own rules look at the connector."""
        if "connector" not in self.errors:
            super()._post_clean()  # type: ignore[misc]


@admin.register(OAuthApp)
class OAuthAppAdmin(RefusalsShown, TenantAdmin[OAuthApp]):
    view_permission = Permission.CONNECTOR_MANAGE
    manage_permission = Permission.CONNECTOR_MANAGE
    form = OAuthAppForm
    list_display = ("connector", "client_id", "grant_type", "secret_state", "token_url", "updated_at")
    list_select_related = ("connector__organization",)
    search_fields = ("connector__label", "client_id")
    fields = (
        "redirect_uri",
        "connector",
        "grant_type",
        "client_id",
        "secret",
        "secret_state",
        "client_authentication",
        "authorization_url",
        "token_url",
        "revocation_url",
        "issuer",
        "scopes",
        "offered_scopes",
        "authorization_parameters",
    )

    def get_readonly_fields(self, request: HttpRequest, obj: OAuthApp | None = None) -> tuple[str, ...]:
        shown = ("redirect_uri", "offered_scopes", "secret_state")
        return (*shown, "connector") if obj else shown

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        actor = actor_in(request, organization_of(obj))
        secret = form.cleaned_data["secret"]
        oauth_apps.save(app=obj, client_secret=secret, surface=Surface.ADMIN, actor=actor)

    def delete_model(self, request: HttpRequest, obj: OAuthApp) -> None:
        oauth_apps.delete(app=obj, surface=Surface.ADMIN, actor=actor_in(request, organization_of(obj)))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[OAuthApp]) -> None:
        for app in queryset.select_related("connector__organization"):
            self.delete_model(request, app)

    @display(description="Secret")
    def secret_state(self, obj: OAuthApp | None) -> str:
        if obj is None or not obj.client_secret:
            return "none"
        return "stored" if obj.client_secret.is_readable() else "lost with its key: enter it again"

    @display(description="Redirect URI to register with the product")
    def redirect_uri(self, obj: OAuthApp | None) -> str:
        return callback_url()

    @display(description="Scopes that the connector's catalog names")
    def offered_scopes(self, obj: OAuthApp | None) -> str:
        stored = obj is not None and not obj._state.adding
        return " ".join(obj.connector.auth_scheme.scopes) if obj and stored else ""
