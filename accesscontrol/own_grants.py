"""The pages where people see, change and end what acts for them, and make a personal token, which is shown once."""

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accesscontrol.exceptions import MemberNotActive, PermissionRequired, Refusal
from accesscontrol.grant_form import OwnGrantForm
from accesscontrol.grant_words import confinement, destinations, may, toolbox_names, vouching
from accesscontrol.models import Grant, Member, Surface, User
from accesscontrol.oauth.scopes import DEFAULT_SCOPES, SCOPE_WORDS
from accesscontrol.permissions import Permission, Scope
from accesscontrol.services import grant_changes, grants

_DAYS = (("30", "30 days"), ("90", "90 days"), ("365", "A year"))


class TokenForm(forms.Form):
    name = forms.CharField(max_length=120, label="What is it for?", help_text="The script or machine that will use it.")
    member = forms.ChoiceField(label="Organization")
    scopes = forms.MultipleChoiceField(
        label="It may",
        choices=[(scope.value, words) for scope, words in SCOPE_WORDS.items()],
        initial=[scope.value for scope in DEFAULT_SCOPES],
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.ChoiceField(label="It ends after", choices=_DAYS, initial="90")

    def __init__(self, *args: Any, members: list[Member], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.members = {str(member.pk): member for member in members}
        member = self.fields["member"]
        assert isinstance(member, forms.ChoiceField)
        member.choices = [(key, one.organization.name) for key, one in self.members.items()]


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def own_grants(request: HttpRequest) -> HttpResponse:
    members = _who_may_make_tokens(request)
    form = TokenForm(request.POST or None, members=members)
    context: dict[str, Any] = {"form": form if members else None, "token": ""}
    if request.method == "POST":
        try:
            context["token"] = _make(form) if form.is_valid() else ""
        except (MemberNotActive, PermissionRequired) as refusal:
            form.add_error(None, str(refusal))
    if context["token"]:
        context["form"] = TokenForm(members=members)
    return render(request, "accesscontrol/own_grants.html", {**context, "grants": _in_words(request)})


@login_required
@require_POST
def end_own_grant(request: HttpRequest, grant: str) -> HttpResponse:
    """Another's grant is not there at all."""
    row = get_object_or_404(_of(request), pk=grant)
    grants.revoke(grant=row, reason="ended by its owner", surface=Surface.API, actor=row.member)
    return redirect("own-grants")


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def change_own_grant(request: HttpRequest, grant: str) -> HttpResponse:
    row = get_object_or_404(_of(request), pk=grant)
    form = OwnGrantForm(request.POST or None, grant=row)
    if request.method == "POST" and form.is_valid():
        try:
            _change(row, form)
        except Refusal as refusal:
            form.add_error(None, str(refusal))
        else:
            return redirect("own-grants")
    status = 400 if form.is_bound else 200
    return render(request, "accesscontrol/own_grant.html", {"grant": row, "form": form}, status=status)


def _change(grant: Grant, form: OwnGrantForm) -> None:
    grant_changes.change(
        grant=grant,
        scopes=form.chosen_scopes,
        toolboxes=form.chosen_toolboxes,
        surface=Surface.API,
        actor=grant.member,
    )


def _in_words(request: HttpRequest) -> list[dict[str, Any]]:
    rows = list(_of(request))
    names = {member: toolbox_names(member) for member in {row.member for row in rows}}
    return [{"row": row, "may": may(row), "with": confinement(row, names[row.member]), **_about(row)} for row in rows]


def _about(grant: Grant) -> dict[str, str]:
    client = grant.client
    return {"vouching": vouching(client), "destinations": destinations(client)} if client is not None else {}


def _of(request: HttpRequest) -> QuerySet[Grant]:
    rows = Grant.objects.live(timezone.now()).filter(member__user=_user(request).pk, member__status="active")
    return rows.select_related("member__organization", "member__user", "client")


def _make(form: TokenForm) -> str:
    member = form.members[form.cleaned_data["member"]]
    _, token = grants.issue_token(
        member=member,
        actor=member,
        client_name=form.cleaned_data["name"],
        scopes=[Scope(scope) for scope in form.cleaned_data["scopes"]],
        surface=Surface.API,
        expires_at=timezone.now() + timedelta(days=int(form.cleaned_data["days"])),
        needs=Permission.TOKEN_CREATE,
    )
    return token


def _who_may_make_tokens(request: HttpRequest) -> list[Member]:
    rows = _user(request).memberships.filter(status=Member.Status.ACTIVE).select_related("role", "organization", "user")
    return [member for member in rows.order_by("organization__name") if member.may(Permission.TOKEN_CREATE)]


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
