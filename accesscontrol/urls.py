"""The pages on which people join, and the authorization server."""

from django.urls import include, path

from accesscontrol.joining import join

urlpatterns = [
    path("join/<str:token>/", join, name="join"),
    path("", include("accesscontrol.oauth.urls")),
]
