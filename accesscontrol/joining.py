"""The page behind an invitation: a new person makes an account, one who has an account signs in."""

from typing import Any

from django import forms
from django.contrib.auth import login, password_validation
from django.contrib.auth.views import redirect_to_login
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accesscontrol.models import Invitation, Surface, User
from accesscontrol.services import invitations


class AccountForm(forms.Form):
    """A name and a password for the invited address."""

    name = forms.CharField(max_length=120, label="Your name")
    password = forms.CharField(
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="At least 10 characters.",
    )

    def __init__(self, *args: Any, invitation: Invitation, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.invitation = invitation

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        user = User(email=self.invitation.email, name=self.cleaned_data.get("name", ""))
        password_validation.validate_password(password, user)
        return password


@sensitive_post_parameters("password")
@never_cache
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Shows the invitation, and accepts it."""
    try:
        invitation = invitations.find(token)
        user = User.objects.filter(email=invitation.email).first()
        if user is None:
            return _make_account(request, invitation)
        if request.user != user:
            return redirect_to_login(request.get_full_path())
        if request.method == "POST":
            invitations.accept(invitation=invitation, user=user, surface=Surface.API)
            return render(request, "accesscontrol/joined.html", {"invitation": invitation})
    except invitations.InvitationOver as over:
        return render(request, "accesscontrol/invitation_over.html", {"message": str(over)}, status=404)
    return render(request, "accesscontrol/join.html", {"invitation": invitation, "form": forms.Form()})


def _make_account(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    form = AccountForm(request.POST or None, invitation=invitation)
    if request.method != "POST" or not form.is_valid():
        return render(request, "accesscontrol/join.html", {"invitation": invitation, "form": form})
    with transaction.atomic():
        user = User.objects.create_user(invitation.email, form.cleaned_data["password"], name=form.cleaned_data["name"])
        invitations.accept(invitation=invitation, user=user, surface=Surface.API)
    login(request, user)
    return render(request, "accesscontrol/joined.html", {"invitation": invitation})
