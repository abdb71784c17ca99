"""The endpoint's addresses: with and without a slash, since a redirect would lose the client's token."""

from django.urls import path

from search.mcp.view import McpView

urlpatterns = [
    path("mcp", McpView.as_view(), name="mcp"),
    path("mcp/", McpView.as_view()),
]
