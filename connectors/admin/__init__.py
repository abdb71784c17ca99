"""The admin pages of connectors."""

from connectors.admin import connectors

__all__ = ["connectors"]
