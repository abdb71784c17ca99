"""The records of connectors, their tools and their connections."""

from connectors.models.connection import Connection
from connectors.models.connector import Connector
from connectors.models.tool import Tool

__all__ = ["Connection", "Connector", "Tool"]
