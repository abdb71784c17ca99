"""The records of connectors, their tools and their connections."""

from connectors.models.connect_session import ConnectSession
from connectors.models.connection import Connection
from connectors.models.connector import Connector
from connectors.models.share import Level, Share
from connectors.models.tool import Tool

__all__ = ["ConnectSession", "Connection", "Connector", "Level", "Share", "Tool"]
