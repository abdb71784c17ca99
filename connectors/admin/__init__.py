"""The admin pages of connectors."""

from connectors.admin import connections, connectors

__all__ = ["connections", "connectors"]
