"""One call of an HTTP API: arguments become a request, the response a result."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from connectors.binding import Binding
from connectors.execution.arguments import bind
from connectors.execution.egress import guarded_transport
from connectors.execution.outgoing_file import OpenFile, refuse_files
from connectors.execution.request import build_request, secrets_of
from connectors.execution.results import Result, interpret
from connectors.execution.sending import HopCheck, Limits, send
from connectors.models import Tool


def call(
    tool: Tool,
    arguments: Mapping[str, Any],
    credential: Mapping[str, Any],
    *,
    hop_check: HopCheck,
    files: OpenFile = refuse_files,
) -> Result:
    """`arguments` fit the tool's schema, and `files` opens those that they name by id.

    Raises Refusal, and what `hop_check` raises.
    """
    binding, auth = Binding.from_json(tool.binding), tool.connector.auth_scheme
    request = build_request(
        bind(binding, arguments, files=files),
        base_url=binding.base_url or tool.connector.base_url,
        auth=auth,
        credential=credential,
        user_agent=f"elaichi/{settings.VERSION}",
    )
    response = send(
        request,
        transport=guarded_transport(settings.EGRESS_ALLOWED),
        hop_check=hop_check,
        limits=Limits(total=settings.OUTBOUND_SECONDS),
    )
    return interpret(response, secrets=secrets_of(auth, credential))
