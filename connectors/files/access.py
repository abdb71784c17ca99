"""Who may open a file: asked each time, by its link and by a call that sends it alike.

Had a rule, a share or the account itself been taken away since, what came through it must not be had any more.
"""

from accesscontrol.caller import Caller
from accesscontrol.exceptions import NotFound, PermissionRequired, ScopeRequired
from accesscontrol.permissions import Permission, Scope
from accesscontrol.policy import ToolRef
from accesscontrol.resolver import Checkpoint, require
from connectors.curation.names import advertised_name
from connectors.execution.errors import NeedsReauth
from connectors.frozen_reach import is_within_grant
from connectors.models import Connection, Connector, Level, StoredFile, Tool
from connectors.reach import reaches


def require_open(caller: Caller, file: StoredFile) -> None:
    """`file` is the caller's own. Raises PermissionRequired, ScopeRequired, NotFound, Restricted, NeedsReauth."""
    if not caller.may(Permission.TOOL_EXECUTE):
        raise PermissionRequired(Permission.TOOL_EXECUTE)
    if Scope.TOOLS not in caller.scopes:
        raise ScopeRequired(Scope.TOOLS)
    if file.connector is None:
        return  # the member brought it
    if not is_within_grant(caller, file.connector.pk, file.tool):
        raise NotFound("file")
    require(Checkpoint.OPEN_FILE, caller, _ref(file, file.connector), advertised_name(file.connector.slug, file.tool))
    if not file.connector.enabled or file.connection is None or not _is_reached(caller, file.connection):
        raise NeedsReauth("The account that this came through is not connected any more, or not shared with you.")


def _is_reached(caller: Caller, connection: Connection) -> bool:
    active = connection.status == Connection.Status.ACTIVE
    return active and reaches(caller.member, connection, at_least=Level.USE)


def _ref(file: StoredFile, connector: Connector) -> ToolRef:
    """By the tool as it is now, with what it was called before; by its name where it is gone or was renamed."""
    tool = Tool.objects.filter(connector=connector, name=file.tool).first()
    tool = tool or Tool.objects.filter(connector=connector, former_names__contains=[file.tool]).first()
    return tool.ref_in(connector) if tool else ToolRef(connector.slug, tuple(connector.lineage), file.tool)
