"""What is over is let go of: calls that no limit counts any more, names that nobody should call by any more."""

from uuid import UUID

from celery import shared_task
from django.utils import timezone

from connectors import former_names
from connectors.catalog.mcp import refreshing
from connectors.execution import limits
from connectors.files import storing


@shared_task(ignore_result=True)
def sweep_calls() -> None:
    """Each minute."""
    limits.sweep(timezone.now())


@shared_task(ignore_result=True)
def sweep_files() -> None:
    """Each quarter of an hour."""
    storing.sweep(timezone.now())


@shared_task(ignore_result=True)
def refresh_catalog(connector_id: str) -> None:
    """Started where a call showed that a server's tools are not what they were; see `catalog.mcp.staleness`."""
    refreshing.refresh(UUID(connector_id))


@shared_task(ignore_result=True)
def forget_former_names() -> None:
    """Each hour."""
    former_names.forget(now=timezone.now())
