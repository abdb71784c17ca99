"""The admin pages of connectors."""

from connectors.admin import connections, connectors, oauth_apps, toolboxes

__all__ = ["connections", "connectors", "oauth_apps", "toolboxes"]
