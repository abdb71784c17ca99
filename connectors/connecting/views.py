"""The connect page, and where a product sends people back to after signing in there."""

from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods

from accesscontrol.exceptions import Refusal
from accesscontrol.models import User
from connectors.auth_scheme import AuthKind
from connectors.connecting import signing_in
from connectors.connecting.forms import ConnectForm, LabelForm
from connectors.connecting.sessions import SessionOver, complete, find_session
from connectors.credentials.oauth.apps import app_of
from connectors.models import Connection, ConnectSession, OAuthApp


@sensitive_post_parameters()
@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def connect(request: HttpRequest, token: str) -> HttpResponse:
    """Shows the form of an open session, and completes it."""
    assert isinstance(request.user, User)
    try:
        session = find_session(token, request.user)
        if session.connector.auth_scheme.kind is AuthKind.OAUTH2:
            return _sign_in(request, session, token)
        return _type_in(request, session)
    except SessionOver as over:
        return _over(request, over)


@never_cache
@require_GET
def callback(request: HttpRequest) -> HttpResponse:
    """Where the product sends people back to. Not signed in here any more, they are not asked to: it was not them."""
    try:
        session = signing_in.claim(request.GET.get("state", ""), request.user)
        return _connected(request, signing_in.finish(session, request.GET.dict()))
    except SessionOver as over:
        return _over(request, over)
    except (Refusal, ValidationError) as refused:
        flow = session.flow.reveal()
        form = LabelForm(session=session, initial={"label": flow["label"]})
        return _sign_in_page(request, form, refused, action=reverse("connect", args=[flow["page_token"]]))


def _type_in(request: HttpRequest, session: ConnectSession) -> HttpResponse:
    form = ConnectForm(request.POST or None, session=session)
    if request.method == "POST" and form.is_valid():
        label = form.cleaned_data["label"]
        return _connected(request, complete(session, label=label, credential=form.credential))
    return render(request, "connectors/connect.html", {"form": form, "session": session})


def _sign_in(request: HttpRequest, session: ConnectSession, token: str) -> HttpResponse:
    form = LabelForm(request.POST or None, session=session)
    try:
        app = app_of(session.connector)
        if request.method != "POST" or not form.is_valid():
            return _sign_in_page(request, form)
        label = form.cleaned_data["label"]
        if app.grant_type == OAuthApp.GrantType.CLIENT_CREDENTIALS:
            return _connected(request, signing_in.finish_as_application(session, app, label=label))
        url = signing_in.begin(session, app, label=label, page_token=token)
    except SessionOver:
        raise
    except (Refusal, ValidationError) as refused:
        return _sign_in_page(request, form, refused)
    # A page that leads on, not a redirect: our content policy lets a form lead nowhere but here, redirects included.
    return render(request, "connectors/leaving.html", {"connector": session.connector, "url": url})


def _sign_in_page(
    request: HttpRequest, form: LabelForm, refused: Refusal | ValidationError | None = None, *, action: str = ""
) -> HttpResponse:
    problem = " ".join(refused.messages) if isinstance(refused, ValidationError) else str(refused or "")
    found = OAuthApp.objects.filter(connector=form.session.connector).first()
    shown = {"form": form, "session": form.session, "app": found, "action": action, "problem": problem}
    return render(request, "connectors/sign_in.html", shown)


def _connected(request: HttpRequest, connection: Connection) -> HttpResponse:
    return render(request, "connectors/connected.html", {"connection": connection})


def _over(request: HttpRequest, over: SessionOver) -> HttpResponse:
    return render(request, "connectors/session_over.html", {"message": str(over)}, status=404)
