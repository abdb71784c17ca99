"""What is over is let go of: calls that no limit counts any more."""

from uuid import UUID

from celery import shared_task
from django.utils import timezone

from connectors.catalog.mcp import refreshing
from connectors.execution import limits


@shared_task(ignore_result=True)
def sweep_calls() -> None:
    """Each minute."""
    limits.sweep(timezone.now())


@shared_task(ignore_result=True)
def refresh_catalog(connector_id: str) -> None:
    """Started where a call showed that a server's tools are not what they were; see `catalog.mcp.staleness`."""
    refreshing.refresh(UUID(connector_id))
