"""Arguments that a client repeats in headers, for whatever stands between it and us (SEP-2243, from 2026-07-28 on).

A property of a listed tool may ask for it by `x-mcp-header: Name`; the argument then travels as `Mcp-Param-Name` too.
What a proxy was shown and what is run must be the same: a header that is missing, undecodable or different is refused.
"""

from collections.abc import Mapping
from typing import Any

from mcp_types.jsonrpc import HEADER_MISMATCH

from search.mcp.errors import RpcError
from search.mcp.message import decode_header

KEYWORD = "x-mcp-header"
PREFIX = "Mcp-Param-"


def check(schema: Mapping[str, Any], arguments: Mapping[str, Any], headers: Mapping[str, str]) -> None:
    """Raises RpcError (-32020) for the first header that does not say what the body says."""
    for name, part in schema.get("properties", {}).items():
        asked = part.get(KEYWORD) if isinstance(part, dict) else None
        if asked is None:
            continue
        header = f"{PREFIX}{asked}"
        sent = headers.get(header)
        if name not in arguments or arguments[name] is None:
            matches = sent is None
        else:
            matches = sent is not None and decode_header(sent) == _written(arguments[name])
        if not matches:
            raise RpcError(HEADER_MISMATCH, f"The header {header} must be there once and equal arguments.{name}.")


def _written(value: Any) -> str:
    """As a header holds it: JSON's words for what is no string."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
