"""The pages on which accounts are authorized."""

from django.urls import path

from connectors.connecting.views import connect

urlpatterns = [path("connect/<str:token>/", connect, name="connect")]
