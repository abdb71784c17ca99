"""One id per request, in the response, the logs and the audit trail."""

import logging
import re
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from time import perf_counter
from uuid import uuid4

from django.http import HttpRequest, HttpResponse

HEADER = "X-Request-ID"
_ACCEPTED = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass(frozen=True)
class Current:
    """The request that this thread serves, since when (`perf_counter`), and its id; `-` outside of one."""

    id: str = "-"
    started: float = 0.0
    request: HttpRequest | None = None


_OUTSIDE = Current()
_current: ContextVar[Current] = ContextVar("request", default=_OUTSIDE)


def current() -> Current:
    return _current.get()


def current_request_id() -> str:
    """The id of the request this thread serves, or `-` outside of one."""
    return _current.get().id


class RequestIdMiddleware:
    """Takes the caller's `X-Request-ID` where it is harmless, else makes one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get(HEADER, "")
        request_id = given if _ACCEPTED.fullmatch(given) else uuid4().hex
        token = _current.set(Current(request_id, perf_counter(), request))
        try:
            response = self.get_response(request)
        finally:
            _current.reset(token)
        response.headers[HEADER] = request_id
        return response


class RequestIdFilter(logging.Filter):
    """Puts the request's id on every log record."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = _current.get().id
        return True
