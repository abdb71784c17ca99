"""The admin site: unfold's, with the looser content policy that its scripts need, and for these pages alone."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.csp import CSP
from django.utils.decorators import method_decorator
from django.views.decorators.csp import csp_override
from unfold.sites import UnfoldAdminSite

from accesscontrol.sign_in import throttled

# Alpine evaluates the expressions in unfold's templates, and the templates carry inline styles and scripts.
ADMIN_CSP: dict[str, list[str]] = {
    **settings.SECURE_CSP,
    "script-src": [CSP.SELF, CSP.UNSAFE_EVAL, CSP.UNSAFE_INLINE],
    "style-src": [CSP.SELF, CSP.UNSAFE_INLINE],
}


class ElaichiAdminSite(UnfoldAdminSite):
    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        return csp_override(ADMIN_CSP)(super().admin_view(view, cacheable))

    @method_decorator(throttled)
    @method_decorator(csp_override(ADMIN_CSP))
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return super().login(request, extra_context)
