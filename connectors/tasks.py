"""What is over is let go of: calls that no limit counts any more, names that nobody should call by any more."""

from uuid import UUID

from celery import shared_task
from django.utils import timezone

from connectors import former_names
from connectors.catalog.mcp import refreshing
from connectors.execution import limits
from connectors.files import storing
from connectors.services import imports


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
def refresh_due_catalogs() -> None:
    """Each hour, for the servers whose hour it is."""
    from connectors.catalog.mcp import daily  # it starts a task of this module

    daily.ask_for_due(now=timezone.now())


@shared_task(ignore_result=True)
def forget_visits() -> None:
    """Each hour: imports that nobody confirmed, and pages for connecting an account, once they are long over."""
    from connectors.connecting import sessions  # it starts a task of this module, by way of `staleness`

    imports.forget(now=timezone.now())
    sessions.forget(now=timezone.now())


@shared_task(ignore_result=True)
def forget_former_names() -> None:
    """Each hour."""
    former_names.forget(now=timezone.now())
