"""A client that speaks to /mcp in either era, and checks that every answer is JSON-RPC."""

import json
from typing import Any

from django.test import Client
from mcp_types import CLIENT_CAPABILITIES_META_KEY, PROTOCOL_VERSION_META_KEY
from mcp_types.jsonrpc import jsonrpc_message_adapter

LEGACY, MODERN = "2025-11-25", "2026-07-28"


class Rpc:
    def __init__(self, token: str = "", *, version: str = LEGACY) -> None:
        self.client = Client()
        self.token = token
        self.version = version

    def post(self, body: bytes | str, **headers: str) -> Any:
        """Sends these bytes; a header given as an empty string is left out."""
        sent = {"Authorization": f"Bearer {self.token}" if self.token else "", **headers}
        content_type = sent.pop("Content_Type", "application/json")
        response = self.client.post(
            "/mcp",
            data=body,
            content_type=content_type,
            headers={name.replace("_", "-"): value for name, value in sent.items() if value},
        )
        if response.status_code != 202:
            jsonrpc_message_adapter.validate_json(response.content)
        return response

    def send(self, method: str, params: dict[str, Any] | None = None, *, id: Any = 1, **headers: str) -> Any:
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": id, "method": method, "params": dict(params or {})}
        sent = {"MCP_Protocol_Version": self.version}
        if self.version == MODERN:
            message["params"].setdefault("_meta", {PROTOCOL_VERSION_META_KEY: MODERN, CLIENT_CAPABILITIES_META_KEY: {}})
            sent |= {
                "Mcp_Method": method,
                "Mcp_Name": str(message["params"].get("name") or message["params"].get("uri", "")),
            }
        return self.post(json.dumps(message), **{**sent, **headers})

    def result(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        response = self.send(method, params)
        body = response.json()
        assert response.status_code == 200, body
        assert "result" in body, body
        found: dict[str, Any] = body["result"]
        return found

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        return self.result("tools/call", {"name": name, "arguments": arguments})

    def found(self, query: str, **arguments: Any) -> dict[str, Any]:
        content: dict[str, Any] = self.call("search_tools", query=query, **arguments)["structuredContent"]
        return content

    def error(self, response: Any) -> dict[str, Any]:
        said: dict[str, Any] = json.loads(response.content)["error"]
        return said
