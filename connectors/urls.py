"""The pages on which accounts are authorized."""

from django.urls import path

from connectors.connecting.views import callback, connect

urlpatterns = [
    path("connect/callback/", callback, name="connect_callback"),
    path("connect/<str:token>/", connect, name="connect"),
]
