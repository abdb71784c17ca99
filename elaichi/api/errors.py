"""Refusals over HTTP: the same code, sentence and help as over MCP, under the status that says the same."""

from typing import Any

from accesscontrol.exceptions import Refusal

_STATUS = {
    "permission_required": 403,
    "scope_required": 403,
    "restricted": 403,
    "only_in_admin": 403,
    "grant_ended": 401,
    "invalid_token": 401,
    "not_found": 404,
    "invalid_arguments": 400,
    "ambiguous_connection": 400,
    "conflict": 409,
    "needs_reauth": 409,
    "rate_limited": 429,
    "blocked_address": 502,
    "upstream_error": 502,
    "upstream_unreachable": 504,
}


def status_of(refusal: Refusal) -> int:
    """400 for a code that is none of the above: the request is what has to change."""
    return _STATUS.get(refusal.code, 400)


def body_of(refusal: Refusal) -> dict[str, Any]:
    return {"error": {"code": refusal.code, "message": str(refusal), **refusal.help}}
