"""The pages on which accounts are authorized, and the format of our catalogs."""

from django.urls import path

from connectors.catalog.manifest.published import catalog_schema
from connectors.connecting.views import callback, connect

urlpatterns = [
    path("schemas/catalog-1.json", catalog_schema, name="catalog_schema"),
    path("connect/callback/", callback, name="connect_callback"),
    path("connect/<str:token>/", connect, name="connect"),
]
