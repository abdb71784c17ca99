"""The pages on which accounts are authorized, the addresses of files, and the format of our catalogs."""

from django.urls import path

from connectors.catalog.manifest.published import catalog_schema
from connectors.connecting.views import callback, connect
from connectors.files.views import open_file, upload

urlpatterns = [
    path("schemas/catalog-1.json", catalog_schema, name="catalog_schema"),
    path("connect/callback/", callback, name="connect_callback"),
    path("connect/<str:token>/", connect, name="connect"),
    # With and without a slash: a redirect would lose the body.
    path("files", upload),
    path("files/", upload, name="upload"),
    path("files/<str:token>/<str:name>", open_file, name="open_file"),
]
