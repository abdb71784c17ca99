"""The connect page."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accesscontrol.models import User
from connectors.connecting.forms import ConnectForm
from connectors.connecting.sessions import SessionOver, complete, find_session


@sensitive_post_parameters()
@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def connect(request: HttpRequest, token: str) -> HttpResponse:
    """Shows the form of an open session, and completes it."""
    assert isinstance(request.user, User)
    try:
        session = find_session(token, request.user)
        form = ConnectForm(request.POST or None, session=session)
        if request.method == "POST" and form.is_valid():
            connection = complete(session, label=form.cleaned_data["label"], credential=form.credential)
            return render(request, "connectors/connected.html", {"connection": connection})
    except SessionOver as over:
        return render(request, "connectors/session_over.html", {"message": str(over)}, status=404)
    return render(request, "connectors/connect.html", {"form": form, "session": session})
