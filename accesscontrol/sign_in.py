"""Signing in with a password: how often one may fail, who hears of it, and where the page's form may lead.

Attempts are counted before a password is looked at, so that many at once get no further than one after another. What
is said never tells whether an address is known here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.csp import CSP
from rest_framework.throttling import BaseThrottle

from accesscontrol import audit
from accesscontrol.bearer_secrets import digest
from accesscontrol.models import Member, OAuthClient, Surface
from accesscontrol.oauth import redirects

WINDOW_SECONDS = 15 * 60
FAILURES_PER_EMAIL = 10
FAILURES_PER_ADDRESS = 50
"""More: a whole office comes from one address."""


@dataclass(frozen=True)
class _Count:
    """Of attempts that have not succeeded; it begins anew a window's time after the first."""

    key: str

    def add(self) -> int:
        cache.add(self.key, 0, WINDOW_SECONDS)
        try:
            return int(cache.incr(self.key))
        except ValueError:  # it ended between the two
            cache.set(self.key, 1, WINDOW_SECONDS)
            return 1

    def take_back(self) -> None:
        if cache.get(self.key, 0) > 0:
            cache.decr(self.key)

    def forget(self) -> None:
        cache.delete(self.key)


def throttled[**P](view: Callable[P, HttpResponseBase]) -> Callable[P, HttpResponseBase]:
    """For a view that answers a posted form with a redirect if it signed somebody in, and else with the form again."""

    @wraps(view)
    def counted(*args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        request = next(one for one in args if isinstance(one, HttpRequest))
        return _post(request, lambda: view(*args, **kwargs)) if request.method == "POST" else view(*args, **kwargs)

    return counted


def _post(request: HttpRequest, view: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    email = request.POST.get("username", "").strip().lower()
    by_email = _Count(f"sign-in:{digest(email)}")
    by_address = _Count(f"sign-in-from:{digest(_address(request))}")
    if by_address.add() > FAILURES_PER_ADDRESS:
        return _too_many(request)
    attempts = by_email.add()
    if attempts > FAILURES_PER_EMAIL:
        if attempts == FAILURES_PER_EMAIL + 1:  # told once, whoever goes on trying
            _record(email, "rate_limited")
        return _too_many(request)
    response = view()
    if response.status_code == 302:
        by_email.forget()
        by_address.take_back()
    else:
        _record(email, "wrong_password")
    return response


def _address(request: HttpRequest) -> str:
    """As seen by the throttle of registrations: a forwarded one only where a proxy of ours is in front."""
    return str(BaseThrottle().get_ident(request))  # type: ignore[arg-type]


def _too_many(request: HttpRequest) -> HttpResponse:
    minutes = WINDOW_SECONDS // 60
    response = render(request, "too_many_sign_ins.html", {"minutes": minutes}, status=429)
    response["Retry-After"] = str(WINDOW_SECONDS)
    return response


def _record(email: str, outcome: str) -> None:
    """Each organization whose member the address is hears of it; of an address that nobody has, none does."""
    if "\x00" in email:
        return
    for member in Member.objects.filter(user__email=email, status=Member.Status.ACTIVE).select_related("organization"):
        audit.record(
            organization=member.organization,
            action="sign_in.refused",
            surface=Surface.API,
            outcome=outcome,
            target=f"member:{member.pk}",
            detail={"member": email},
        )


class SignInForm(AuthenticationForm):
    error_messages = {  # noqa: RUF012  as Django's own is
        **AuthenticationForm.error_messages,
        "invalid_login": "This e-mail address and this password do not belong together. Try again.",
    }


class SignIn(LoginView):
    template_name = "login.html"
    authentication_form = SignInForm

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        """Browsers hold every redirect that follows a posted form to `form-action`, and who signs in on the way to
        an authorization may be sent on to its client at once: so where that leads is named here, if it is registered.
        """
        response: HttpResponse = super().render_to_response(context, **kwargs)
        sources = _sources(self.get_redirect_url())
        if sources:
            policy = {**settings.SECURE_CSP, "form-action": [CSP.SELF, *sources]}
            response._csp_config = policy  # type: ignore[attr-defined]
        return response


def _sources(following: str) -> list[str]:
    parts = urlsplit(following)
    if parts.path != reverse("oauth-authorize"):
        return []
    asked = parse_qs(parts.query)
    client_id, uri = (asked.get(name, [""])[0] for name in ("client_id", "redirect_uri"))
    client = OAuthClient.objects.filter(client_id=client_id).first() if "\x00" not in client_id else None
    return [redirects.form_action(uri)] if client is not None and client.redirect_uri_allowed(uri) else []
