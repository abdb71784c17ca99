"""What can be called: connectors, their tools, and the accounts that reach them."""

from django.apps import AppConfig


class ConnectorsConfig(AppConfig):
    name = "connectors"
    verbose_name = "Connectors"

    def ready(self) -> None:
        from connectors import operations  # noqa: F401  registers the operations
