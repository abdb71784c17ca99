"""How many requests one client may make in a minute, whatever it asks for: calls, operations, files that it brings."""

import math
from typing import Any

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from accesscontrol.caller import Caller
from accesscontrol.exceptions import Refusal


class TooManyRequests(Refusal):
    code = "rate_limited"

    def __init__(self, seconds: int) -> None:
        super().__init__(f"Too many requests. Please wait {seconds} seconds.", seconds=seconds)


class GrantThrottle(SimpleRateThrottle):
    """`MCP_REQUESTS_PER_MINUTE` for each grant; 0 sets no limit.

    Counted in the cache: of one shared by all web processes where CACHE_URL names such, else by each for itself.
    """

    scope = "mcp"

    def get_rate(self) -> str | None:
        per_minute = settings.MCP_REQUESTS_PER_MINUTE
        return f"{per_minute}/min" if per_minute else None

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        caller = request.auth
        return f"mcp-requests-{caller.grant_id}" if isinstance(caller, Caller) else None


def require_turn(request: Any, caller: Caller) -> None:
    """Counts a request to a view that is none of DRF's. Raises TooManyRequests."""
    request.auth = caller
    throttle = GrantThrottle()
    # The view is no matter of the count.
    if not throttle.allow_request(request, APIView()):
        raise TooManyRequests(math.ceil(throttle.wait() or 1))
