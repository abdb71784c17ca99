"""Runs one connected tool: the gates from the resolver to the result, in the order in which they stand below.

Whoever calls this has checked the grant's scopes and found the tool in the caller's pool. The last gate is
asked again for every request and redirect hop, against what the database says at that moment: a member
suspended, a connection withdrawn or a rule written while the call was running stops it before anything
leaves.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import httpx2

from accesscontrol.audit import CallEntry
from accesscontrol.caller import Caller
from accesscontrol.exceptions import PermissionRequired, ScopeRequired
from accesscontrol.permissions import Permission, Scope
from accesscontrol.resolver import Checkpoint, require
from accesscontrol.services.grants import renew
from connectors.curation import merging
from connectors.curation.advertised import Account, AdvertisedTool
from connectors.execution import authorized, files, http_call, limits
from connectors.execution.database_pool import give_back_connection
from connectors.execution.destination import require_declared
from connectors.execution.errors import NeedsReauth, UnusableTool
from connectors.execution.frozen_call import complete, pinned_account, require_in_toolbox
from connectors.execution.outgoing_file import OpenFile
from connectors.execution.results import Result
from connectors.execution.sending import HopCheck
from connectors.files.storing import Origin
from connectors.models import Connection, Connector, Level, Tool
from connectors.reach import reaches, works


def execute(caller: Caller, advertised: AdvertisedTool, arguments: dict[str, Any], entry: CallEntry) -> Result:
    """The tool's result, with links to what it keeps. Raises Refusal, whatever stands in the way.

    `entry` learns which account the call used.
    """
    require(Checkpoint.EXECUTE, caller, advertised.ref, advertised.name)
    tool = Tool.objects.of(caller.organization).select_related("connector").filter(pk=advertised.tool_id).first()
    if tool is None:
        raise UnusableTool("it was removed a moment ago")
    if frozen := advertised.entry.frozen:
        entry.detail["toolbox"] = frozen.toolbox
    own = complete(advertised, tool.input_schema, _without_account(advertised, tool.input_schema, arguments))
    account = merging.choose(advertised, tool.input_schema, arguments)
    entry.connection = f"{advertised.connector_label}: {account.label}"
    connection = _active_connection(caller, advertised, account)
    with limits.slot(connection, tool.connector):
        result = authorized.call(
            connection,
            lambda credential, check: _call(tool, own, credential, check, partial(files.open_for_call, caller)),
            hop_check=_Outbound(caller, advertised, account, tool.connector),
        )
    return files.with_files(caller, result, Origin(tool=tool, connection=connection))


def _call(
    tool: Tool, arguments: Mapping[str, Any], credential: Mapping[str, Any], check: HopCheck, opening: OpenFile
) -> Result:
    if tool.connector.kind == Connector.Kind.MCP:
        # Its client takes a quarter of a second and 8 MiB to import: for processes that call such servers alone.
        from connectors.execution import mcp_call

        return mcp_call.call(tool, arguments, credential, hop_check=check)
    return http_call.call(tool, arguments, credential, hop_check=check, files=opening)


class _Outbound:
    """The check of each request just before it is sent."""

    def __init__(self, caller: Caller, advertised: AdvertisedTool, account: Account, connector: Connector) -> None:
        self._caller = caller
        self._advertised = advertised
        self._account = account
        self._connector = connector

    def __call__(self, url: httpx2.URL) -> None:
        """Raises GrantEnded, PermissionRequired, ScopeRequired, Restricted, NeedsReauth, PinEnded, UnusableTool,
        BlockedAddress.
        """
        require_declared(self._connector, url)
        caller = renew(self._caller)
        _require_granted(caller, self._advertised)
        require(Checkpoint.OUTBOUND, caller, self._advertised.ref, self._advertised.name)
        if (caller.version, caller.toolboxes) != (self._caller.version, self._caller.toolboxes):
            require_in_toolbox(caller, self._advertised.entry.frozen)
            _active_connection(caller, self._advertised, self._account)
            if not Tool.objects.filter(pk=self._advertised.tool_id, enabled=True).exists():
                raise UnusableTool("it was switched off")
        # Calls that wait for a slow product must not hold all the connections that others' searches need.
        give_back_connection()


def _require_granted(caller: Caller, advertised: AdvertisedTool) -> None:
    """What the role permits and the client was given may have been narrowed since the call was let in."""
    if not caller.may(Permission.TOOL_EXECUTE):
        raise PermissionRequired(Permission.TOOL_EXECUTE)
    needed = (Scope.TOOLS, Scope.DESTRUCTIVE) if advertised.annotations.get("destructiveHint") else (Scope.TOOLS,)
    for scope in needed:
        if scope not in caller.scopes:
            raise ScopeRequired(scope)


def _without_account(
    advertised: AdvertisedTool, schema: Mapping[str, Any], arguments: dict[str, Any]
) -> dict[str, Any]:
    if not advertised.merged:
        return arguments
    argument = merging.argument_for(schema)
    return {name: value for name, value in arguments.items() if name != argument}


def _active_connection(caller: Caller, advertised: AdvertisedTool, account: Account) -> Connection:
    """The connection, if the caller reaches it at this moment, or a pin leads there; the pool may be a moment old."""
    if (frozen := advertised.entry.frozen) and frozen.pinned:
        return pinned_account(caller, advertised, frozen, account)
    found = Connection.objects.of(caller.organization).filter(works(), pk=account.connection_id).first()
    if found is None or not reaches(caller.member, found, at_least=Level.USE):
        raise NeedsReauth(f"The account {account.label} is not connected any more, or not shared with you.")
    return found
