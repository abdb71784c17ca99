"""What Django itself refuses, before or after a view: JSON-RPC at /mcp, a page elsewhere."""

from django.http import HttpRequest, HttpResponse
from django.views import defaults
from mcp_types.jsonrpc import INTERNAL_ERROR, INVALID_REQUEST

from search.mcp.errors import RpcError
from search.mcp.view import respond


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Among others, a Host header that is not ours."""
    if _is_mcp(request):
        return respond(
            request,
            RpcError(INVALID_REQUEST, "This request is malformed or its Host is not served here.", status=400),
        )
    return defaults.bad_request(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if _is_mcp(request):
        return respond(
            request,
            RpcError(INVALID_REQUEST, "There is nothing at this address; the endpoint is /mcp.", status=404),
        )
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    if _is_mcp(request):
        return respond(request, RpcError(INTERNAL_ERROR, "Something went wrong here; it was logged.", status=500))
    return defaults.server_error(request)


def _is_mcp(request: HttpRequest) -> bool:
    return request.path == "/mcp" or request.path.startswith("/mcp/")
