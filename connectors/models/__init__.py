"""The records of connectors, their tools and connections, of curated tools and of files."""

from connectors.models.connect_session import ConnectSession
from connectors.models.connection import Connection
from connectors.models.connector import Connector
from connectors.models.oauth_app import OAuthApp
from connectors.models.pending_import import PendingImport
from connectors.models.running_call import RunningCall
from connectors.models.share import Level, Share
from connectors.models.stored_file import StoredFile
from connectors.models.tool import Tool
from connectors.models.tool_alias import ToolAlias
from connectors.models.toolbox import FrozenTool, Pin, Toolbox

__all__ = [
    "ConnectSession",
    "Connection",
    "Connector",
    "FrozenTool",
    "Level",
    "OAuthApp",
    "PendingImport",
    "Pin",
    "RunningCall",
    "Share",
    "StoredFile",
    "Tool",
    "ToolAlias",
    "Toolbox",
]
