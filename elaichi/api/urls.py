"""The addresses of the API: one view for each path, and the document that describes them."""

from collections import defaultdict

from django.urls import URLPattern, path

from elaichi.api.routes import PREFIX, Route, routes
from elaichi.api.schema import schema
from elaichi.api.views import OperationView, no_such_address


def _patterns() -> list[URLPattern]:
    by_path: dict[str, dict[str, Route]] = defaultdict(dict)
    for route in routes():
        by_path[route.path][route.method] = route
    return [path(f"{PREFIX}{_as_django(at)}", OperationView.as_view(routes=methods)) for at, methods in by_path.items()]


def _as_django(at: str) -> str:
    return at.replace("{", "<str:").replace("}", ">")


urlpatterns = [
    path("api/schema", schema, name="api-schema"),
    *_patterns(),
    path(f"{PREFIX}<path:rest>", no_such_address),
]
