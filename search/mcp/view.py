"""POST /mcp: checks the transport, reads one message, answers it as plain JSON; every error is JSON-RPC too."""

import logging
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from mcp_types import PROTOCOL_VERSION_META_KEY
from mcp_types.jsonrpc import INTERNAL_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from rest_framework import exceptions
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.views import APIView

from accesscontrol.caller import Caller
from accesscontrol.throttling import GrantThrottle
from connectors.execution.cancellation import ending_with
from search.mcp import cors
from search.mcp import message as wire
from search.mcp.authentication import INVALID, BearerAuthentication, challenge
from search.mcp.errors import UNAUTHORIZED, RpcError, error_body
from search.mcp.methods import answer

logger = logging.getLogger(__name__)


class McpView(APIView):
    """DRF authenticates, throttles and catches; the wire format is the protocol's own, so its parsers stay out."""

    authentication_classes = (BearerAuthentication,)
    permission_classes = (AllowAny,)
    throttle_classes = (GrantThrottle,)
    http_method_names = ("post", "options")
    allowed_methods = ["POST"]  # noqa: RUF012  as the base class has it; what a preflight asks is no method to call

    def options(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:  # type: ignore[override]
        """The preflight of a page in a browser."""
        response = HttpResponse(status=204)
        cors.allow_request(response)
        return response

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """The cheap checks come before the one that needs the database."""
        preflight = request.method == "OPTIONS" and "Origin" in request.headers
        if request.method != "POST" and not preflight:
            raise exceptions.MethodNotAllowed(request.method or "")
        _check_origin(request)
        if preflight:
            return
        _check_size(request)
        _check_media_type(request)
        super().initial(request, *args, **kwargs)

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """Whatever the client accepts, it gets JSON: legal in every revision."""
        return super().perform_content_negotiation(request, force=True)

    def post(self, request: Request) -> HttpResponse:
        payload = wire.parse(request._request.body)
        message = wire.read(payload, request.headers)
        if message.id is None or not message.method:
            return HttpResponse(status=202)
        caller = request.auth
        assert isinstance(caller, Caller)
        # From gunicorn; another server's requests run to their end.
        with ending_with(request.META.get("gunicorn.socket")):
            result = answer(caller, message)
        body = {"jsonrpc": "2.0", "id": message.id, "result": result}
        return JsonResponse(body, json_dumps_params={"ensure_ascii": False, "separators": (",", ":")})

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        cors.allow(response, request.headers.get("Origin"))
        return super().finalize_response(request, response, *args, **kwargs)

    def handle_exception(self, exc: Exception) -> HttpResponseBase:  # type: ignore[override]
        error, headers = _as_rpc_error(exc)
        if error.code == INTERNAL_ERROR:
            logger.exception("unexpected error at /mcp", exc_info=exc)
        return respond(self.request._request, error, headers)


def respond(request: HttpRequest, error: RpcError, headers: dict[str, str] | None = None) -> JsonResponse:
    """The error as a JSON-RPC response, under the request's id where the body gives one."""
    request_id, modern = _whose(request)
    return JsonResponse(error_body(error, request_id), status=error.http_status(modern=modern), headers=headers or {})


def _whose(request: HttpRequest) -> tuple[int | str | None, bool]:
    modern = request.headers.get("MCP-Protocol-Version") in MODERN_PROTOCOL_VERSIONS
    try:
        payload = wire.parse(request.body)
    except Exception:
        return None, modern
    meta = (payload.get("params") or {}).get("_meta") if isinstance(payload.get("params"), dict) else None
    modern = modern or (isinstance(meta, dict) and PROTOCOL_VERSION_META_KEY in meta)
    return wire.request_id(payload), modern


def _check_origin(request: Request) -> None:
    """A page on another site must not drive a server on this machine (DNS rebinding)."""
    origin = request.headers.get("Origin")
    if origin is not None and not cors.is_admitted(origin):
        raise RpcError(INVALID_REQUEST, "Requests from this Origin are not accepted here.", status=403)


def _check_size(request: Request) -> None:
    if int(request.META.get("CONTENT_LENGTH") or 0) > settings.MCP_MAX_BODY_BYTES:
        raise RpcError(INVALID_REQUEST, f"The body is over {settings.MCP_MAX_BODY_BYTES} bytes.", status=413)


def _check_media_type(request: Request) -> None:
    media_type = (request.content_type or "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise RpcError(INVALID_REQUEST, "Send the body as Content-Type: application/json.", status=415)


def _as_rpc_error(exc: Exception) -> tuple[RpcError, dict[str, str]]:
    if isinstance(exc, RpcError):
        return exc, exc.headers
    if isinstance(exc, exceptions.AuthenticationFailed | exceptions.NotAuthenticated):
        why = INVALID if exc.get_codes() == INVALID else ""
        return RpcError(UNAUTHORIZED, str(exc.detail), status=401), {"WWW-Authenticate": challenge(why)}
    if isinstance(exc, exceptions.MethodNotAllowed):
        return RpcError(METHOD_NOT_FOUND, "This endpoint takes POST only.", status=405), {"Allow": "POST"}
    if isinstance(exc, exceptions.Throttled):
        seconds = str(round(getattr(exc, "wait", None) or 60))
        error = RpcError(INVALID_REQUEST, f"Too many requests: wait {seconds} seconds.", status=429)
        return error, {"Retry-After": seconds}
    return RpcError(INTERNAL_ERROR, "Something went wrong here; it was logged.", status=500), {}
