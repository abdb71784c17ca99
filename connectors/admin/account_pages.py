"""What the owner of an account does with it from its page: connecting it again, and giving it to somebody else."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from unfold.admin import ModelAdmin
from unfold.decorators import action
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldBooleanSwitchWidget

from accesscontrol.admin.tenant import actor_in, organization_of
from accesscontrol.caller import caller_of
from accesscontrol.exceptions import Refusal
from accesscontrol.models import Member, Surface
from accesscontrol.permissions import Permission
from connectors.admin.pages import context
from connectors.connecting.sessions import open_session
from connectors.models import Connection, Level
from connectors.services import transfers
from connectors.services.transfers import Transfer

_KEEPS = [("", "Nothing"), *((str(level.value), level.label) for level in Level)]


class TransferForm(forms.Form):
    """Sent once it says what would happen; sent again with `confirmed`, it happens."""

    new_owner = forms.ModelChoiceField(queryset=Member.objects.none(), widget=UnfoldAdminSelectWidget)
    keep = forms.TypedChoiceField(
        choices=_KEEPS,
        required=False,
        coerce=lambda value: Level(int(value)),
        empty_value=None,
        label="The present owner keeps",
        widget=UnfoldAdminSelectWidget,
    )
    confirmed = forms.BooleanField(required=False, label="Do it now", widget=UnfoldBooleanSwitchWidget)

    def __init__(self, *args: Any, connection: Connection, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        colleagues = Member.objects.of(connection.connector.organization).filter(status=Member.Status.ACTIVE)
        choices = colleagues.exclude(pk=connection.owner_id).select_related("user")
        self.fields["new_owner"].queryset = choices  # type: ignore[attr-defined]
        if connection.owner.status == Member.Status.SUSPENDED:
            del self.fields["keep"]


class AccountPages(ModelAdmin):
    """Further pages, for the admin of connections."""

    def has_own_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        return object_id is None or _is_own(request, self._stored(request, object_id))

    def has_transfer_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        if object_id is None:
            return True
        connection = self._stored(request, object_id)
        return _is_own(request, connection) or connection.owner.status == Member.Status.SUSPENDED

    @action(description="Connect again", url_path="connect-again", icon="login", permissions=["own"])
    def connect_again(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """To a one-time page, on which the secret is typed or the product is signed in to."""
        connection = self._stored(request, object_id)
        actor = actor_in(request, organization_of(connection))
        assert actor is not None  # whose account it is
        try:
            if not actor.may(Permission.CONNECTION_CREATE):
                raise Refusal("Your role does not let you connect accounts. Ask an administrator.")
            _, url = open_session(caller_of(actor, surface=Surface.ADMIN), connection.connector, connection)
        except Refusal as refusal:
            messages.error(request, str(refusal))
            return _to(connection)
        return HttpResponseRedirect(url)

    @action(description="Give to somebody else", url_path="transfer", icon="move_item", permissions=["transfer"])
    def transfer(self, request: HttpRequest, object_id: str) -> HttpResponse:
        connection = self._stored(request, object_id)
        form = TransferForm(request.POST or None, connection=connection)
        said = ""
        if form.is_valid():
            given = {"connection": connection, "new_owner": form.cleaned_data["new_owner"]}
            keep = form.cleaned_data.get("keep")
            if form.cleaned_data["confirmed"]:
                if self._transferred(request, form, given, keep):
                    return HttpResponseRedirect(reverse("admin:connectors_connection_changelist"))
            else:
                said = in_words(transfers.preview_transfer(**given, keep=keep))
        title, does = f"Give {connection} to somebody else", "Give away" if said else "Show what happens"
        shown = context(self, request, title, form=form, does=does, explanation=said)
        return TemplateResponse(request, "admin/connectors/connector/form_page.html", shown)

    def _transferred(self, request: HttpRequest, form: TransferForm, given: dict[str, Any], keep: Any) -> bool:
        connection: Connection = given["connection"]
        actor = actor_in(request, organization_of(connection))
        try:
            if actor is not None and actor.pk == connection.owner_id:
                transfers.transfer(**given, keep=keep, surface=Surface.ADMIN, actor=actor)
            else:
                transfers.transfer_as_manager(**given, surface=Surface.ADMIN, actor=actor)
        except Refusal as refusal:
            form.add_error(None, str(refusal))
            return False
        messages.success(request, f"{connection} is {given['new_owner'].user.email}'s now.")
        return True

    def _stored(self, request: HttpRequest, object_id: str) -> Connection:
        """One that is not within the user's organizations is not there at all."""
        found: Connection | None = self.get_object(request, unquote(object_id))
        if found is None:
            raise Http404
        return found


def in_words(seen: Transfer) -> str:
    said = [f"{seen.new_owner} will own it" + (f", as {seen.label}." if seen.is_relabelled else ".")]
    said.append(f"Still reached by: {', '.join(seen.keeps)}." if seen.keeps else "It is shared with nobody.")
    said += [f"{', '.join(seen.loses)} will not reach it any more."] if seen.loses else []
    said += [f"It stops in: {', '.join(map(str, seen.stopping))}."] if seen.stopping else []
    return " ".join([*said, "Tick “Do it now” and send again to do it."])


def _is_own(request: HttpRequest, connection: Connection) -> bool:
    actor = actor_in(request, organization_of(connection))
    return actor is not None and actor.pk == connection.owner_id


def _to(connection: Connection) -> HttpResponse:
    return HttpResponseRedirect(reverse("admin:connectors_connection_change", args=[connection.pk]))
