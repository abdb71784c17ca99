"""One view for every operation: reads the input where the route has it, calls what MCP calls, answers JSON."""

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase, JsonResponse
from rest_framework import exceptions
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accesscontrol.caller import Caller
from accesscontrol.exceptions import InvalidArguments, Problem, Refusal
from accesscontrol.models import Surface
from accesscontrol.operation import from_texts
from accesscontrol.throttling import GrantThrottle
from elaichi.api.errors import body_of, status_of
from elaichi.api.routes import Route
from search.calling import call_operation
from search.mcp.authentication import BearerAuthentication

logger = logging.getLogger(__name__)


def no_such_address(request: HttpRequest, rest: str) -> JsonResponse:
    said = f"There is nothing at this address; {settings.PUBLIC_URL}/api/schema says what there is."
    return JsonResponse({"error": {"code": "not_found", "message": said}}, status=404)


class OperationView(APIView):
    """The operations of one path, by HTTP method."""

    authentication_classes = (BearerAuthentication,)
    permission_classes = (AllowAny,)
    throttle_classes = (GrantThrottle,)
    routes: Mapping[str, Route] = {}

    @property
    def allowed_methods(self) -> list[str]:
        return sorted(self.routes)

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Every method is answered by `answer`, or by DRF's 405."""
        if request.method in self.routes:
            setattr(self, request.method.lower(), self.answer)
        return super().dispatch(request, *args, **kwargs)

    def answer(self, request: Request, **subject: str) -> Response:
        route = self.routes[request.method or ""]
        caller = request.auth
        assert isinstance(caller, Caller)
        arguments = _query(request, route) if route.takes_query else _body(request)
        if given_twice := arguments.keys() & subject.keys():
            raise InvalidArguments([Problem(name, "is in the address already") for name in sorted(given_twice)])
        result = call_operation(replace(caller, surface=Surface.API), route.operation, {**arguments, **subject})
        return Response(result)

    def handle_exception(self, exc: Exception) -> Response:
        """Refusals and DRF's own errors in one shape; anything else is logged and told as a 500."""
        if isinstance(exc, Refusal):
            return Response(body_of(exc), status=status_of(exc), headers=_retry_after(exc))
        if isinstance(exc, exceptions.APIException):
            response = super().handle_exception(exc)
            response.data = {"error": {"code": exc.default_code, "message": _sentence(exc)}}
            return response
        logger.exception("unexpected error in the API", exc_info=exc)
        said = {"code": "internal_error", "message": "Something went wrong here; it was logged."}
        return Response({"error": said}, status=500)


def _query(request: Request, route: Route) -> dict[str, Any]:
    """The query string as typed values. Raises InvalidArguments."""
    given = {name: request.query_params.getlist(name) for name in request.query_params}
    return from_texts(route.operation.input, given)


def _body(request: Request) -> dict[str, Any]:
    data = request.data
    if not isinstance(data, dict):
        raise InvalidArguments([Problem("", "the body must be one JSON object")])
    return data


def _sentence(exc: exceptions.APIException) -> str:
    return str(exc.detail)


def _retry_after(refusal: Refusal) -> dict[str, str]:
    seconds = refusal.help.get("seconds")
    return {"Retry-After": str(seconds)} if seconds is not None else {}
