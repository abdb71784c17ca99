"""Where a connector's calls may go."""

import httpx2

from connectors.execution.errors import BlockedAddress
from connectors.models import Connector


def require_declared(connector: Connector, url: httpx2.URL) -> None:
    """Raises BlockedAddress for a place that the connector does not declare."""
    if not connector.declares(url.scheme, url.netloc.decode("ascii")):
        raise BlockedAddress(url.host, "is not a host that this connector declares")
