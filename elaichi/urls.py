"""Every address that this server answers."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from accesscontrol.sign_in import SignIn, throttled
from elaichi.health import healthz, readyz

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="admin:index")),
    path("admin/", admin.site.urls),
    path("login/", throttled(SignIn.as_view()), name="login"),
    path("healthz", healthz),
    path("readyz", readyz),
    path("", include("accesscontrol.urls")),
    path("", include("connectors.urls")),
    path("", include("search.urls")),
    path("", include("elaichi.api.urls")),
]
handler400 = "elaichi.error_pages.bad_request"
handler404 = "elaichi.error_pages.not_found"
handler500 = "elaichi.error_pages.server_error"
