"""The endpoints that clients and our own services post to: token, revocation (RFC 7009), introspection (RFC 7662)."""

import json
from collections.abc import Mapping

from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST
from oauthlib.common import Request as OAuthRequest

from accesscontrol.models import OAuthClient
from accesscontrol.oauth.cross_origin import cross_origin
from accesscontrol.oauth.server import server_for_one_request
from accesscontrol.services import client_grants, introspection

_NO_STORE = {"Cache-Control": "no-store", "Pragma": "no-cache"}


@cross_origin
@require_POST
@sensitive_post_parameters()
def token(request: HttpRequest) -> HttpResponse:
    """A code or a refresh token against a new pair, all in one transaction.

    A refusal is an answer and no exception: that a stolen code or token ended its grant is committed with it.
    """
    core, validator = server_for_one_request()
    _know_client(request)
    with transaction.atomic():
        _, headers, body, status = core.create_token_response(request)
        if status >= 400 and validator.presented is not None:
            client_grants.refused(validator.presented.grant, str(json.loads(body).get("error")))
    return _answer(headers, body, status)


@cross_origin
@require_POST
@sensitive_post_parameters()
def revoke(request: HttpRequest) -> HttpResponse:
    core, _ = server_for_one_request()
    _, headers, body, status = core.create_revocation_response(request)
    return _answer(headers, body, status)


@csrf_exempt
@require_POST
@sensitive_post_parameters()
def introspect(request: HttpRequest) -> HttpResponse:
    """For services of ours that an operator registered with a secret, never for a client that registered itself."""
    core, validator = server_for_one_request()
    asked = OAuthRequest(*core._extract_params(request))
    if not validator.knows_secret(asked) or not _is_service(asked.client):
        return JsonResponse(
            {"error": "invalid_client"}, status=401, headers={**_NO_STORE, "WWW-Authenticate": 'Basic realm="elaichi"'}
        )
    return JsonResponse(introspection.describe(request.POST.get("token", "")), headers=_NO_STORE)


def _is_service(client: OAuthClient) -> bool:
    manual = client.registration_source == OAuthClient.RegistrationSource.MANUAL
    return bool(manual and client.client_type == OAuthClient.CLIENT_CONFIDENTIAL)


def _know_client(request: HttpRequest) -> None:
    """Brings a stale metadata document up to date before the transaction: nothing is fetched while a row is locked."""
    core, validator = server_for_one_request()
    validator.knows_client(OAuthRequest(*core._extract_params(request)))


def _answer(headers: Mapping[str, str], body: str | None, status: int) -> HttpResponse:
    response = HttpResponse(body or "", status=status, content_type="application/json")
    for name, value in {**headers, **_NO_STORE}.items():
        response[name] = value
    return response
