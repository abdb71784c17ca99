"""Opening a file by its link, and bringing one for a call to send."""

from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.utils.http import content_disposition_header
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from accesscontrol.caller import Caller
from accesscontrol.exceptions import InvalidToken, NotFound, PermissionRequired, Refusal, ScopeRequired
from accesscontrol.permissions import Permission, Scope
from accesscontrol.services import grants
from accesscontrol.throttling import TooManyRequests, require_turn
from connectors.execution.content_names import disposed
from connectors.files import links, media_types
from connectors.files.storing import QuotaExceeded, store
from connectors.models import StoredFile

_CHUNK = 64 * 1024
# Nothing of a file is ours: it may not run, be framed, be read by other sites or stay in a cache.
_GUARDS = {
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "private, no-store",
}
_STATUS = {NotFound: 404, links.LinkOver: 410, InvalidToken: 401, QuotaExceeded: 409, TooManyRequests: 429}


class Unreadable(Refusal):
    """The upload cannot be taken as it was sent."""

    code = "invalid_arguments"

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@require_safe
def open_file(request: HttpRequest, token: str, name: str) -> HttpResponseBase:
    """`name` is only there for whoever reads the link."""
    try:
        file = links.open_link(token)
        response = _head(file) if request.method == "HEAD" else _whole(file)
    except Refusal as refusal:
        response = render(request, "connectors/file_refused.html", {"message": str(refusal)}, status=_status(refusal))
        response.headers["Cache-Control"] = "private, no-store"
        return response
    for header, value in _GUARDS.items():
        response.headers[header] = value
    return response


def _whole(file: StoredFile) -> HttpResponseBase:
    try:
        content = file.content.open("rb")
    except FileNotFoundError:
        raise NotFound("file") from None
    media_type = media_types.served(file.media_type)
    return FileResponse(content, as_attachment=True, filename=file.name, content_type=media_type)


def _head(file: StoredFile) -> HttpResponseBase:
    response = HttpResponse(content_type=media_types.served(file.media_type))
    response.headers["Content-Length"] = str(file.size)
    response.headers["Content-Disposition"] = content_disposition_header(True, file.name) or "attachment"
    return response


def _as_json(view: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Refusals in the shape that results have."""

    @wraps(view)
    def answer(request: HttpRequest) -> HttpResponse:
        try:
            return view(request)
        except Refusal as refusal:
            said = {"error": {"code": refusal.code, "message": str(refusal), **refusal.help}}
            response = JsonResponse(said, status=_status(refusal))
            if isinstance(refusal, InvalidToken):
                response.headers["WWW-Authenticate"] = "Bearer"
            if isinstance(refusal, TooManyRequests):
                response.headers["Retry-After"] = str(refusal.help["seconds"])
            return response

    return answer


@csrf_exempt
@require_POST
@_as_json
def upload(request: HttpRequest) -> HttpResponse:
    """The body is the file; its name is in Content-Disposition or in `?name=`."""
    caller = _caller(request)
    require_turn(request, caller)
    name = disposed(request.headers.get("Content-Disposition", "")) or request.GET.get("name", "")
    file = store(member=caller.member, name=name, media_type=request.content_type or "", data=_body(request))
    return JsonResponse(links.described(caller, file), status=201)


def _caller(request: HttpRequest) -> Caller:
    """A cookie does not do: only a client that holds a grant for calls may bring what they send."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        raise InvalidToken
    caller = grants.authenticate(token.strip())
    if Scope.TOOLS not in caller.scopes:
        raise ScopeRequired(Scope.TOOLS)
    if not caller.may(Permission.TOOL_EXECUTE):
        raise PermissionRequired(Permission.TOOL_EXECUTE)
    return caller


def _body(request: HttpRequest) -> bytes:
    """Read in pieces, and no further than a file may be long."""
    declared = request.headers.get("Content-Length", "")
    if not declared:
        raise Unreadable("Send the file's size in Content-Length.", 411)
    limit = settings.FILE_MAX_BYTES
    if int(declared) > limit:
        raise Unreadable(f"A file may have {limit // 1024**2} MiB.", 413)
    body = bytearray()
    while piece := request.read(_CHUNK):
        body += piece
    if len(body) != int(declared):
        raise Unreadable("The file did not arrive whole. Send it again.", 400)
    return bytes(body)


def _status(refusal: Refusal) -> int:
    return refusal.status if isinstance(refusal, Unreadable) else _STATUS.get(type(refusal), 403)
