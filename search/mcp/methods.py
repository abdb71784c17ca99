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
from accesscontrol.exceptions import Refusal, ScopeRequired
from accesscontrol.request_id import current_request_id
from search.calling import UnknownTool
from search.mcp import cards, param_headers, results, tools
from search.mcp.authentication import challenge_for_more
from search.mcp.completion import completion, no_suggestions
from search.mcp.errors import INSUFFICIENT_SCOPE, RESOURCE_NOT_FOUND, RpcError
from search.mcp.instructions import instructions
from search.mcp.message import LEGACY_VERSIONS, Message
from search.mcp.prompts import MissingArgument, UnknownPrompt, prompts
from search.mcp.prompts import get as get_prompt
from search.mcp.resources import UnknownResource, resources
from search.pool import pool_of

CAPABILITIES: dict[str, Any] = {
    "tools": {},
    "prompts": {},
    "resources": {},
    "completions": {},
    "extensions": {cards.EXTENSION: {"mimeTypes": [cards.MEDIA_TYPE]}},
}
"""The revisions of the legacy era have no `extensions`: what is sent there leaves them out."""
REQUEST_ID_META_KEY = "elaichi/requestId"
"""What a person can quote, and the engineer on call find in the logs and the audit trail."""
_CACHE_NOTHING = {"ttlMs": 0, "cacheScope": "private"}
"""A list depends on the caller and may change with the next commit."""


def answer(caller: Caller, message: Message) -> dict[str, Any]:
    """The result of a request, in the shape of the revision it was asked in. Raises RpcError."""
    method = METHODS.get(message.method)
    if method is None or (message.method, message.version) not in CLIENT_REQUESTS:
        raise RpcError(METHOD_NOT_FOUND, f"There is no method {message.method[:60]} here.")
    try:
        validate_client_request(message.method, message.version, message.params)
    except ValidationError as error:
        raise RpcError(INVALID_PARAMS, f"The params do not fit: {_first_problem(error)}") from None
    result = method(caller, message)
    meta: dict[str, Any] = {}
    if message.method == "tools/call":
        meta[REQUEST_ID_META_KEY] = current_request_id()
    if message.modern:
        meta[SERVER_INFO_META_KEY] = _server_info()
        result = {"resultType": "complete", **result}
    if meta:
        result["_meta"] = meta
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
    return _whole_list(message, "tools", tools.definitions(caller))


def _call_tool(caller: Caller, message: Message) -> dict[str, Any]:
    name, arguments = message.params["name"], message.params.get("arguments") or {}
    if message.modern:
        _check_param_headers(caller, message, name, arguments)
    try:
        return tools.call(caller, name, arguments)
    except UnknownTool as error:
        raise RpcError(INVALID_PARAMS, str(error), data=error.help) from None
    except ScopeRequired as error:
        return _scope_required(caller, message, error)
    except Refusal as error:
        return results.refusal(error)


def _scope_required(caller: Caller, message: Message, error: ScopeRequired) -> dict[str, Any]:
    """A modern client that signed in can ask its person for more, and is told how; for others it is a result."""
    if not message.modern or not caller.signed_in:
        return results.refusal(error)
    headers = {"WWW-Authenticate": challenge_for_more(caller, error.help["scope"])}
    raise RpcError(INSUFFICIENT_SCOPE, str(error), data=error.help, status=403, headers=headers)


def _check_param_headers(caller: Caller, message: Message, name: str, arguments: dict[str, Any]) -> None:
    """Only a listed tool can have asked for such headers."""
    for definition in tools.definitions(caller):
        if definition["name"] == name:
            param_headers.check(definition["inputSchema"], arguments, message.headers)


def _list_prompts(caller: Caller, message: Message) -> dict[str, Any]:
    return _whole_list(message, "prompts", [prompt.definition for prompt in prompts.offered(caller)])


def _get_prompt(caller: Caller, message: Message) -> dict[str, Any]:
    try:
        return get_prompt(caller, message.params["name"], message.params.get("arguments") or {})
    except UnknownPrompt:
        raise RpcError(INVALID_PARAMS, "There is no prompt of that name here.") from None
    except MissingArgument as error:
        raise RpcError(INVALID_PARAMS, str(error)) from None


def _list_resources(caller: Caller, message: Message) -> dict[str, Any]:
    found = [one.definition for one in resources.offered(caller) if not one.is_template]
    return _whole_list(message, "resources", found)


def _list_templates(caller: Caller, message: Message) -> dict[str, Any]:
    found = [one.definition for one in resources.offered(caller) if one.is_template]
    return _whole_list(message, "resourceTemplates", found)


def _read_resource(caller: Caller, message: Message) -> dict[str, Any]:
    uri = message.params["uri"]
    try:
        return {"contents": [resources.read(caller, uri)], **_CACHE_NOTHING}
    except UnknownResource:
        code = INVALID_PARAMS if message.modern else RESOURCE_NOT_FOUND
        raise RpcError(code, "There is no resource of that address here.", data={"uri": uri[:500]}) from None


def _complete(caller: Caller, message: Message) -> dict[str, Any]:
    ref, argument = message.params["ref"], message.params["argument"]
    known = (message.params.get("context") or {}).get("arguments") or {}
    try:
        if ref["type"] == "ref/prompt":
            found = prompts.find(caller, ref["name"]).argument(argument["name"])
            complete = found.complete if found else no_suggestions
        else:
            complete = resources.template(caller, ref["uri"]).complete
    except (UnknownPrompt, UnknownResource):
        raise RpcError(INVALID_PARAMS, "There is no prompt or resource template of that name here.") from None
    return {"completion": completion(complete(caller, known), argument["value"])}


def _whole_list(message: Message, of: str, found: list[dict[str, Any]]) -> dict[str, Any]:
    """Every list fits on one page."""
    if message.params.get("cursor"):
        raise RpcError(INVALID_PARAMS, "There is no such page: everything is on the first one.")
    return {of: found, **_CACHE_NOTHING}


METHODS: dict[str, Callable[[Caller, Message], dict[str, Any]]] = {
    "initialize": _initialize,
    "server/discover": _discover,
    "ping": _ping,
    "tools/list": _list_tools,
    "tools/call": _call_tool,
    "prompts/list": _list_prompts,
    "prompts/get": _get_prompt,
    "resources/list": _list_resources,
    "resources/templates/list": _list_templates,
    "resources/read": _read_resource,
    "completion/complete": _complete,
}


def _first_problem(error: ValidationError) -> str:
    problem = error.errors(include_input=False, include_url=False, include_context=False)[0]
    return f"{'/'.join(map(str, problem['loc']))}: {problem['msg']}"


def _server_info() -> dict[str, str]:
    return {"name": "elaichi", "title": "elaichi", "version": settings.VERSION}
