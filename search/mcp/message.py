"""From the bytes of a POST to one JSON-RPC message, and which era of the protocol it belongs to.

Legacy is the initialize handshake (2025-03-26 to 2025-11-25), modern the stateless envelope (2026-07-28). A message is
modern when its `params._meta` or its `MCP-Protocol-Version` header names a revision without a handshake.
"""

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mcp_types import CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY
from mcp_types.jsonrpc import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    UNSUPPORTED_PROTOCOL_VERSION,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from search.mcp.errors import RpcError

MAX_DEPTH = 64
LEGACY_VERSIONS = HANDSHAKE_PROTOCOL_VERSIONS[1:]
"""2024-11-05 spoke over another transport."""
ASSUMED_VERSION = LEGACY_VERSIONS[0]
SUPPORTED_VERSIONS = (*LEGACY_VERSIONS, *MODERN_PROTOCOL_VERSIONS)
_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_BASE64 = re.compile(r"=\?base64\?(.*)\?=")
_SURROGATE = re.compile(rb"\\u[dD][89abAB]|\\u[dD][c-fC-F]")


@dataclass(frozen=True, kw_only=True)
class Message:
    """A request where `id` is set, else a notification or a response, which are accepted and not answered."""

    id: int | str | None
    method: str
    params: dict[str, Any]
    version: str
    modern: bool
    client_name: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Those of the HTTP request, by names without regard to case."""


def parse(body: bytes) -> dict[str, Any]:
    """The one JSON object that a body holds. Raises RpcError."""
    try:
        payload = json.loads(body, parse_constant=_refuse_constant)
        if _SURROGATE.search(body):
            json.dumps(payload, ensure_ascii=False).encode()  # half a surrogate pair is no character at all
    except (ValueError, RecursionError) as error:
        raise RpcError(PARSE_ERROR, "The body is not valid JSON.", status=400) from error
    if isinstance(payload, list):
        raise RpcError(INVALID_REQUEST, "Batches are not supported: send one message a request.", status=400)
    if not isinstance(payload, dict):
        raise RpcError(INVALID_REQUEST, "The body must be one JSON-RPC object.", status=400)
    if _depth_exceeds(payload, MAX_DEPTH):
        raise RpcError(INVALID_REQUEST, f"The body nests deeper than {MAX_DEPTH} levels.", status=400)
    return payload


def request_id(payload: Mapping[str, Any]) -> int | str | None:
    """The id to answer under, or None where it is missing or no id at all."""
    value = payload.get("id")
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None


def read(payload: dict[str, Any], headers: Mapping[str, str]) -> Message:
    """Checks the envelope and tells its era. Raises RpcError."""
    _check_envelope(payload)
    params = payload.get("params") or {}
    meta = params.get("_meta")
    meta = meta if isinstance(meta, dict) else {}
    header = headers.get("MCP-Protocol-Version")
    is_request = "id" in payload and "method" in payload
    modern = PROTOCOL_VERSION_META_KEY in meta or header in MODERN_PROTOCOL_VERSIONS
    if modern and is_request:
        _check_modern(payload["method"], params, meta, headers)
    version = meta.get(PROTOCOL_VERSION_META_KEY) if PROTOCOL_VERSION_META_KEY in meta else header
    return Message(
        id=request_id(payload),
        method=payload.get("method", ""),
        params=params,
        version=_served(version, payload.get("method", ""), modern=modern),
        modern=modern,
        client_name=_client_name(meta),
        headers=headers,
    )


def decode_header(value: str | None) -> str | None:
    """A header value as its sender meant it: what ASCII cannot hold travels as `=?base64?…?=`."""
    match = _BASE64.fullmatch(value or "")
    if match is None:
        return value
    try:
        return base64.b64decode(match[1], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def _check_envelope(payload: dict[str, Any]) -> None:
    if payload.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, 'A message must say "jsonrpc": "2.0".', status=400)
    if "id" in payload and request_id(payload) is None:
        raise RpcError(INVALID_REQUEST, "An id must be a string or an integer.", status=400)
    if "method" not in payload:
        if "result" not in payload and "error" not in payload:
            raise RpcError(INVALID_REQUEST, "A message must have a method.", status=400)
    elif not isinstance(payload["method"], str) or not payload["method"]:
        raise RpcError(INVALID_REQUEST, "The method must be a string, and not empty.", status=400)
    if not isinstance(payload.get("params", {}), dict):
        raise RpcError(INVALID_PARAMS, "The params must be an object.")


def _check_modern(method: str, params: dict[str, Any], meta: dict[str, Any], headers: Mapping[str, str]) -> None:
    missing = [key for key in (PROTOCOL_VERSION_META_KEY, CLIENT_CAPABILITIES_META_KEY) if key not in meta]
    if missing:
        raise RpcError(INVALID_PARAMS, f"params._meta must hold {' and '.join(missing)}.", status=400)
    if headers.get("MCP-Protocol-Version") != meta[PROTOCOL_VERSION_META_KEY]:
        raise _mismatch("MCP-Protocol-Version", f"params._meta's {PROTOCOL_VERSION_META_KEY}")
    if headers.get("Mcp-Method") != method:
        raise _mismatch("Mcp-Method", "the method")
    naming = _NAMED_BY.get(method)
    named = params.get(naming) if naming else None
    if named is not None and decode_header(headers.get("Mcp-Name")) != named:
        raise _mismatch("Mcp-Name", f"params.{naming}")


def _mismatch(header: str, field: str) -> RpcError:
    return RpcError(HEADER_MISMATCH, f"The header {header} must be there once and equal {field}.")


def _served(version: object, method: str, *, modern: bool) -> str:
    if not modern and (version is None or method == "initialize"):
        return ASSUMED_VERSION
    supported = MODERN_PROTOCOL_VERSIONS if modern else LEGACY_VERSIONS
    if version in supported:
        return str(version)
    raise RpcError(
        UNSUPPORTED_PROTOCOL_VERSION,
        f"This protocol version is not supported; these are: {', '.join(SUPPORTED_VERSIONS)}.",
        data={"supported": list(supported), "requested": str(version)[:40]},
        status=400,
    )


def _client_name(meta: dict[str, Any]) -> str:
    info = meta.get(CLIENT_INFO_META_KEY)
    name = info.get("name") if isinstance(info, dict) else None
    return name[:120] if isinstance(name, str) else ""


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _depth_exceeds(value: object, limit: int) -> bool:
    level: list[Any] = [value]
    for _ in range(limit):
        level = [
            child
            for item in level
            if isinstance(item, dict | list)
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True
