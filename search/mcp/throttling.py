"""How many requests one client may make in a minute."""

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from accesscontrol.caller import Caller


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
