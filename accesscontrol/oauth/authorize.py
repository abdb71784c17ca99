"""GET and POST /oauth/authorize: a person decides whether a client may act for them, and how far.

The form is posted to the request's own address, so what was asked is read and judged anew when it is answered:
nothing of it travels in hidden fields. Who is not signed in signs in first; before that nobody is sent anywhere.
"""

from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.csp import CSP
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from oauth2_provider.http import OAuth2ResponseRedirect

from accesscontrol.exceptions import MemberNotActive
from accesscontrol.models import Grant, Member, User
from accesscontrol.oauth import redirects
from accesscontrol.oauth.authorization_request import AuthorizationRequest, RefusedRequest, Unanswerable, read
from accesscontrol.oauth.consent_form import ConsentForm
from accesscontrol.services import client_grants
from accesscontrol.services.client_grants import Consent


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def authorize(request: HttpRequest) -> HttpResponse:
    user = request.user
    assert isinstance(user, User)
    members = list(
        user.memberships.filter(status=Member.Status.ACTIVE)
        .select_related("user", "organization")
        .order_by("organization__name")
    )
    try:
        asked = read(request)
    except Unanswerable as fault:
        _record(members, fault.client, fault.code)
        return _page(request, "oauth/refused.html", {"message": str(fault)}, status=400)
    except RefusedRequest as refused:
        _record(members, client_grants.client_name(refused.client), refused.code)
        return _tell_client(request, refused)
    if not members:
        message = (
            f"{user.email} is not an active member of any organization here, so there is nothing to give access to."
        )
        return _page(request, "oauth/refused.html", {"message": message}, status=403)
    return _decide(request, asked, members)


def _decide(request: HttpRequest, asked: AuthorizationRequest, members: list[Member]) -> HttpResponse:
    form = ConsentForm(request.POST or None, members=members, requested=asked.scopes)
    if request.method == "POST" and "deny" in request.POST:
        _record(members, client_grants.client_name(asked.client), "access_denied")
        return _to_client(asked.answer(error="access_denied", error_description="The member denied it."))
    if not form.is_valid():
        if "member" in form.errors:
            _record(members, client_grants.client_name(asked.client), "wrong_organization")
        return _ask(request, asked, form)
    try:
        code = _consent(asked, form)
    except MemberNotActive as refusal:
        return _page(request, "oauth/refused.html", {"message": str(refusal)}, status=403)
    return _to_client(asked.answer(code=code))


def _consent(asked: AuthorizationRequest, form: ConsentForm) -> str:
    _, code = client_grants.consent(
        Consent(
            member=form.chosen_member,
            client=asked.client,
            scopes=form.chosen_scopes,
            toolboxes=form.chosen_toolboxes,
            redirect_uri=asked.redirect_uri,
            code_challenge=asked.code_challenge,
        )
    )
    return code


def _ask(request: HttpRequest, asked: AuthorizationRequest, form: ConsentForm) -> HttpResponse:
    context = {"client": asked.client, "form": form, "goes_to": redirects.shown(asked.redirect_uri)}
    status = 400 if form.is_bound else 200
    return _page(request, "oauth/consent.html", context, status=status, form_action=asked.redirect_uri)


def _tell_client(request: HttpRequest, refused: RefusedRequest) -> HttpResponse:
    """Sends the browser on only where no stranger's page can wait; else the person decides, with a link."""
    user = request.user
    known = Grant.objects.filter(client=refused.client, member__user=user.pk).exists()
    if known or redirects.leads_home(refused.redirect_uri):
        return _to_client(refused.location)
    context = {
        "message": f"{client_grants.client_name(refused.client)} asked in a way that cannot be answered: {refused}",
        "location": refused.location,
        "goes_to": redirects.shown(refused.redirect_uri),
    }
    return _page(request, "oauth/refused.html", context, status=400)


def _to_client(location: str) -> HttpResponse:
    return OAuth2ResponseRedirect(location, settings.OAUTH2_PROVIDER["ALLOWED_REDIRECT_URI_SCHEMES"])


def _page(
    request: HttpRequest, template: str, context: dict[str, Any], *, status: int, form_action: str | None = None
) -> HttpResponse:
    """Browsers hold the answer to a posted form to `form-action`, so the page names where its answer leads."""
    response = render(request, template, context, status=status)
    if form_action is not None:
        policy = {**settings.SECURE_CSP, "form-action": [CSP.SELF, *redirects.form_actions(form_action)]}
        response._csp_config = policy  # type: ignore[attr-defined]
    return response


def _record(members: list[Member], client: str, outcome: str) -> None:
    for member in members:
        client_grants.refused_at_consent(member, client, outcome)
