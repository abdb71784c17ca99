"""A call with the account's credential: renewed before it where it is about to end, and once where it is refused."""

from collections.abc import Callable, Mapping
from typing import Any

import httpx2
from django.conf import settings

from connectors.credentials.oauth.refreshing import renewed_credential, usable_credential
from connectors.execution.deadline import within
from connectors.execution.errors import CredentialRefused
from connectors.execution.sending import HopCheck
from connectors.models import Connection

type Attempt[ResultT] = Callable[[Mapping[str, Any], HopCheck], ResultT]
"""A call with this credential, which asks this check before each request."""


def call[ResultT](connection: Connection, attempt: Attempt[ResultT], *, hop_check: HopCheck) -> ResultT:
    """What the attempt returns; all of it within the time of one call. Raises what the attempt raises, and Refusal.

    An upstream that answers 401 has done nothing, so a write may be sent again, too; unless that answer came after a
    redirect, before which something may have been done.
    """
    with within(settings.OUTBOUND_SECONDS):
        credential = usable_credential(connection)
        hops = _Counted(hop_check)
        try:
            return attempt(credential, hops)
        except CredentialRefused:
            renewed = renewed_credential(connection, refused=credential) if hops.count == 1 else None
            if renewed is None:
                raise
        return attempt(renewed, hop_check)


class _Counted:
    """Counts the requests that were sent."""

    def __init__(self, hop_check: HopCheck) -> None:
        self._hop_check = hop_check
        self.count = 0

    def __call__(self, url: httpx2.URL) -> None:
        self._hop_check(url)
        self.count += 1
