"""The pages on which accounts are authorized, and the addresses of files."""

from django.urls import path

from connectors.connecting.views import callback, connect
from connectors.files.views import open_file, upload

urlpatterns = [
    path("connect/callback/", callback, name="connect_callback"),
    path("connect/<str:token>/", connect, name="connect"),
    # With and without a slash: a redirect would lose the body.
    path("files", upload),
    path("files/", upload, name="upload"),
    path("files/<str:token>/<str:name>", open_file, name="open_file"),
]
