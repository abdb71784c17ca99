"""JSON-RPC errors, and the HTTP status that each travels under."""

from typing import Any

from mcp_types.jsonrpc import (
    HEADER_MISMATCH,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    PARSE_ERROR,
    UNSUPPORTED_PROTOCOL_VERSION,
)

UNAUTHORIZED = -32001
"""Ours, from the range that JSON-RPC leaves to implementations: says what the HTTP status says."""

INSUFFICIENT_SCOPE = -32003
"""Ours too: the client may ask its person for more."""

RESOURCE_NOT_FOUND = -32002
"""Until 2025-11-25; later revisions say INVALID_PARAMS."""

_MODERN_STATUS = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    MISSING_REQUIRED_CLIENT_CAPABILITY: 400,
    UNSUPPORTED_PROTOCOL_VERSION: 400,
    METHOD_NOT_FOUND: 404,
    INTERNAL_ERROR: 500,
}


class RpcError(Exception):
    """Answered as a JSON-RPC error. `status` overrides what the protocol's version would give it."""

    def __init__(
        self,
        code: int,
        message: str,
        *,
        data: Any = None,
        status: int | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.status = status
        self.headers = headers or {}

    def http_status(self, *, modern: bool) -> int:
        """Legacy revisions carry errors under 200, since the HTTP exchange itself went well."""
        if self.status is not None:
            return self.status
        return _MODERN_STATUS.get(self.code, 200) if modern else 200


def error_body(error: RpcError, request_id: int | str | None) -> dict[str, Any]:
    """The JSON-RPC response object. `id` is null only where no request could be told from the body."""
    body: dict[str, Any] = {"code": error.code, "message": error.message}
    if error.data is not None:
        body["data"] = error.data
    return {"jsonrpc": "2.0", "id": request_id, "error": body}
