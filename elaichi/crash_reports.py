"""What Django's crash reports say: where it went wrong, and nothing of what was being worked on.

Values of variables hold decrypted credentials, arguments of calls and tokens; a request holds codes, cookies and the
one-time addresses of our pages. Django hides some of that by its name, and in DEBUG hides no variable at all. A person
at a browser, a mailbox and a log collector are all the wrong place for it.
"""

from collections.abc import ItemsView
from types import TracebackType
from typing import Any

from django.http import HttpRequest
from django.views.debug import ExceptionReporter, SafeExceptionReporterFilter


class Filter(SafeExceptionReporterFilter):
    """Hides every variable, every posted field and every setting, with DEBUG on as well."""

    def is_active(self, request: HttpRequest | None) -> bool:
        return True

    def get_safe_settings(self) -> dict[str, Any]:
        return {}

    def get_safe_request_meta(self, request: HttpRequest | None) -> dict[str, Any]:
        return {}

    def get_safe_cookies(self, request: HttpRequest | None) -> dict[str, Any]:
        return {}

    def get_post_parameters(self, request: HttpRequest | None) -> dict[str, Any]:
        return {}

    def get_traceback_frame_variables(self, request: HttpRequest | None, tb_frame: Any) -> ItemsView[str, Any]:
        return dict[str, Any]().items()


class Reporter(ExceptionReporter):
    """Without the request: its address alone may be a secret. The exception's own text stays, and holds none."""

    def __init__(
        self,
        request: HttpRequest | None,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        tb: TracebackType | None,
        is_email: bool = False,
    ) -> None:
        super().__init__(None, exc_type, exc_value, tb, is_email)
