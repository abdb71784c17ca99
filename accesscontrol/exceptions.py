"""Refusals: what stands in the way of an action, told so that a person or a model can act on it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from accesscontrol.policy import ToolRef


class Refusal(Exception):
    """The message is a sentence or two for a person; `code` is stable; `help` holds what would help, as JSON values."""

    code = "refused"

    def __init__(self, message: str, **help: Any) -> None:
        super().__init__(message)
        self.help = help


class InvalidToken(Refusal):
    """Unknown, expired, revoked, or of a member who is not active: one message, so that nothing can be told apart."""

    code = "invalid_token"

    def __init__(self) -> None:
        super().__init__("The access token is missing, unknown, expired or revoked. Sign in again or use a new token.")


class GrantEnded(Refusal):
    """The grant was live when the request began and is not any more."""

    code = "grant_ended"

    def __init__(self) -> None:
        super().__init__("This access was ended while the call was running; nothing was sent. Sign in again.")


class MemberNotActive(Refusal):
    code = "conflict"

    def __init__(self, email: str) -> None:
        super().__init__(f"{email} is not an active member, so nothing can be granted. Reinstate the member first.")


class PermissionRequired(Refusal):
    code = "permission_required"

    def __init__(self, permission: str) -> None:
        super().__init__(
            f"This needs the permission {permission}, which your role does not have. Ask an administrator for it.",
            permission=permission,
        )


class ScopeRequired(Refusal):
    code = "scope_required"

    def __init__(self, scope: str) -> None:
        super().__init__(
            f"This needs the scope {scope}, which this client was not given. Connect it again and tick that scope.",
            scope=scope,
        )


class Restricted(Refusal):
    """A rule withholds the tool from this member: says by which layer and how to ask, never which rule or whose."""

    code = "restricted"

    def __init__(self, name: str, *, by: str, scope: str, ref: ToolRef) -> None:
        whose = "for your role" if by == "role" else "for you"
        what = "the whole app" if scope == "connector" else "this tool"
        super().__init__(
            f"{name} is restricted: an administrator has restricted {what} {whose}. {HOW_TO_ASK}",
            tool=name,
            by=by,
            scope=scope,
            request_access=how_to_ask(ref),
        )


ASKING = "elaichi__access_request__create"
HOW_TO_ASK = f"To use it, ask for access with {ASKING}; an administrator of your organization decides."


def how_to_ask(ref: ToolRef) -> dict[str, Any]:
    """The operation that asks for this tool, and its arguments: what a model needs to make the call."""
    tool = {"tool": ref.tool} if ref.tool else {}
    return {"operation": ASKING, "arguments": {"connector": ref.connector, **tool}}


class OnlyInAdmin(Refusal):
    """What was called is deliberately no operation: a person does it in the admin, at `where`."""

    code = "only_in_admin"

    def __init__(self, where: str) -> None:
        super().__init__(f"This is done in the admin alone, by a person who may: {where}", where=where)


class Conflict(Refusal):
    """What was asked does not fit the present state."""

    code = "conflict"


class NotFound(Refusal):
    """There is none, or it is not within the caller's reach: one message, so that nothing can be told apart."""

    code = "not_found"

    def __init__(self, what: str) -> None:
        super().__init__(f"There is no such {what} within your reach.")


@dataclass(frozen=True)
class Problem:
    """What is wrong with one argument: where it is, and the rule it breaks; never the value that was given."""

    path: str
    reason: str


class InvalidArguments(Refusal):
    code = "invalid_arguments"

    def __init__(self, problems: Sequence[Problem]) -> None:
        listed = "; ".join(f"{problem.path or 'arguments'}: {problem.reason}" for problem in problems[:5])
        super().__init__(
            f"The arguments do not fit the tool's input schema. {listed}",
            problems=[asdict(problem) for problem in problems],
        )
