"""The pages on which people join and see what acts for them, and the authorization server."""

from django.urls import include, path

from accesscontrol.joining import join
from accesscontrol.own_grants import change_own_grant, end_own_grant, own_grants

urlpatterns = [
    path("join/<str:token>/", join, name="join"),
    path("grants/", own_grants, name="own-grants"),
    path("grants/<uuid:grant>/", change_own_grant, name="change-own-grant"),
    path("grants/<uuid:grant>/end", end_own_grant, name="end-own-grant"),
    path("", include("accesscontrol.oauth.urls")),
]
