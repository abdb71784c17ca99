"""What the model sees: a caller's pool, ranked search over it, and the MCP endpoint."""

from django.apps import AppConfig


class SearchConfig(AppConfig):
    name = "search"
    verbose_name = "Search"

    def ready(self) -> None:
        from search import operations, receivers  # noqa: F401  register and connect themselves
        from search.mcp import jobs, records  # noqa: F401  register themselves
