"""The pages on which people join."""

from django.urls import path

from accesscontrol.joining import join

urlpatterns = [path("join/<str:token>/", join, name="join")]
