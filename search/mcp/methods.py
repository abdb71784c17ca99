"""The methods of the endpoint: one function each, from a caller and a message to a result."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from mcp_types import SERVER_INFO_META_KEY
from mcp_types.jsonrpc import INVALID_PARAMS, METHOD_NOT_FOUND
from mcp_types.methods import CLIENT_REQUESTS, serialize_server_result, validate_client_request
from mcp_types.version import LATEST_HANDSHAKE_VERSION, MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from accesscontrol.caller import Caller
from accesscontrol.exceptions import Refusal
from accesscontrol.operation import Operation, input_schema, registry
from search.calling import UnknownTool, call_tool
from search.mcp import meta_tools, results
from search.mcp.errors import RpcError
from search.mcp.instructions import instructions
from search.mcp.message import LEGACY_VERSIONS, Message
from search.pool import pool_of

CAPABILITIES: dict[str, Any] = {"tools": {}}
_CACHE_NOTHING = {"ttlMs": 0, "cacheScope": "private"}
"""A list depends on the caller and may change with the next commit."""


def answer(caller: Caller, message: Message) -> dict[str, Any]:
    """The result of a request, in the shape of the revision it was asked in. Raises RpcError."""
    method = _METHODS.get(message.method)
    if method is None or (message.method, message.version) not in CLIENT_REQUESTS:
        raise RpcError(METHOD_NOT_FOUND, f"There is no method {message.method[:60]} here.")
    try:
        validate_client_request(message.method, message.version, message.params)
    except ValidationError as error:
        raise RpcError(INVALID_PARAMS, f"The params do not fit: {_first_problem(error)}") from None
    result = method(caller, message)
    if message.modern:
        result = {"resultType": "complete", "_meta": {SERVER_INFO_META_KEY: _server_info()}, **result}
    return serialize_server_result(message.method, message.version, result)


def _initialize(caller: Caller, message: Message) -> dict[str, Any]:
    asked = message.params["protocolVersion"]
    return {
        "protocolVersion": asked if asked in LEGACY_VERSIONS else LATEST_HANDSHAKE_VERSION,
        "capabilities": CAPABILITIES,
        "serverInfo": _server_info(),
        "instructions": instructions(pool_of(caller)),
    }


def _discover(caller: Caller, message: Message) -> dict[str, Any]:
    return {
        "supportedVersions": list(MODERN_PROTOCOL_VERSIONS),
        "capabilities": CAPABILITIES,
        "serverInfo": _server_info(),
        "instructions": instructions(pool_of(caller)),
        **_CACHE_NOTHING,
    }


def _ping(caller: Caller, message: Message) -> dict[str, Any]:
    return {}


def _list_tools(caller: Caller, message: Message) -> dict[str, Any]:
    if message.params.get("cursor"):
        raise RpcError(INVALID_PARAMS, "There is no such page: every tool is on the first one.")
    operations = [_listed(operation) for operation in registry if operation.admits(caller)]
    return {"tools": [*meta_tools.definitions(pool_of(caller)), *operations], **_CACHE_NOTHING}


def _call_tool(caller: Caller, message: Message) -> dict[str, Any]:
    name, arguments = message.params["name"], message.params.get("arguments") or {}
    run = meta_tools.run if name in (meta_tools.SEARCH, meta_tools.EXECUTE) else call_tool
    try:
        return results.success(run(caller, name, arguments))
    except UnknownTool as error:
        raise RpcError(INVALID_PARAMS, str(error), data=error.help) from None
    except Refusal as error:
        return results.refusal(error)


_METHODS: dict[str, Callable[[Caller, Message], dict[str, Any]]] = {
    "initialize": _initialize,
    "server/discover": _discover,
    "ping": _ping,
    "tools/list": _list_tools,
    "tools/call": _call_tool,
}


def _listed(operation: Operation[Any]) -> dict[str, Any]:
    return {
        "name": operation.name,
        "title": operation.title,
        "description": operation.description,
        "inputSchema": input_schema(operation.input),
        "annotations": dict(operation.annotations),
    }


def _first_problem(error: ValidationError) -> str:
    problem = error.errors(include_input=False, include_url=False, include_context=False)[0]
    return f"{'/'.join(map(str, problem['loc']))}: {problem['msg']}"


def _server_info() -> dict[str, str]:
    return {"name": "elaichi", "title": "elaichi", "version": settings.VERSION}
