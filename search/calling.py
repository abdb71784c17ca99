"""The one function behind every call of a tool: a direct `tools/call` and `execute_tool` both end here.

Gates, in this order: scopes, the name in the caller's pool, the scope for a tool that deletes, then those of
`connectors.execution.service`, which begin with the resolver. Each refusal is raised, and each call is audited.
"""

from difflib import get_close_matches
from typing import Any

from accesscontrol import audit
from accesscontrol.caller import Caller
from accesscontrol.exceptions import PermissionRequired, Refusal, Restricted, ScopeRequired
from accesscontrol.operation import Operation, parse_input, registry
from accesscontrol.permissions import Permission, Scope
from connectors.curation.advertised import AdvertisedTool
from connectors.execution import service as execution
from connectors.execution.results import Result
from search import query_log
from search.former_names import present_name
from search.pool import Pool, pool_of


class UnknownTool(Refusal):
    """No tool of that name is in the caller's pool; `nearest` holds names that are."""

    code = "unknown_tool"

    def __init__(self, nearest: list[str]) -> None:
        hint = f" Did you mean {' or '.join(nearest)}?" if nearest else " Use search_tools to find one."
        super().__init__(f"There is no tool of that name here.{hint}", nearest=nearest)


def call_tool(caller: Caller, name: str, arguments: dict[str, Any]) -> Result:
    """Runs an operation or a connected tool.

    Raises UnknownTool for a name that this caller cannot know, and Refusal for everything a person or a model can mend.
    """
    operation = registry.get(name)
    if operation is not None:
        return Result(value=call_operation(caller, operation, arguments))
    if (refusal := registry.only_in_admin(name)) is not None:
        with audit.call(caller, action="operation.call", target=name):
            raise refusal
    pool = pool_of(caller)
    called_as, name = name, present_name(pool, name)
    known = name if name in pool.tools or name in pool.restricted else ""
    query_log.note_choice(caller, known)
    # A name that is not ours may hold anything, so it is not written down.
    with audit.call(caller, action="tool.call", target=known) as entry:
        if called_as != name:
            entry.detail["called_as"] = called_as
        advertised = _admit(caller, pool, name)
        return execution.execute(caller, advertised, arguments, entry)


def _admit(caller: Caller, pool: Pool, name: str) -> AdvertisedTool:
    if not caller.may(Permission.TOOL_EXECUTE):
        raise PermissionRequired(Permission.TOOL_EXECUTE)
    if Scope.TOOLS not in caller.scopes:
        raise ScopeRequired(Scope.TOOLS)
    restricted = pool.restricted.get(name)
    if restricted is not None and restricted.decision.layer and restricted.decision.scope:
        raise Restricted(name, by=restricted.decision.layer, scope=restricted.decision.scope, ref=restricted.ref)
    advertised = pool.advertised(name)
    if advertised is None:
        raise UnknownTool(get_close_matches(name[:100], pool.tools, n=3))
    if advertised.annotations.get("destructiveHint") and Scope.DESTRUCTIVE not in caller.scopes:
        raise ScopeRequired(Scope.DESTRUCTIVE)
    return advertised


def call_operation(caller: Caller, operation: Operation[Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """Raises Refusal. Audited, whatever came of it."""
    with audit.call(caller, action="operation.call", target=operation.name):
        return _run_operation(caller, operation, arguments)


def _run_operation(caller: Caller, operation: Operation[Any], arguments: dict[str, Any]) -> dict[str, Any]:
    if operation.permission is not None and not caller.may(operation.permission):
        raise PermissionRequired(operation.permission)
    if operation.scope not in caller.scopes:
        raise ScopeRequired(operation.scope)
    return operation.run(caller, parse_input(operation.input, _without_nul(arguments)))


def _without_nul(value: Any) -> Any:
    """PostgreSQL keeps no NUL in a text, and one says nothing to anybody."""
    if isinstance(value, str):
        return value.replace("\0", "")
    if isinstance(value, dict):
        return {_without_nul(name): _without_nul(part) for name, part in value.items()}
    return [_without_nul(part) for part in value] if isinstance(value, list) else value
