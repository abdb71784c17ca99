"""What is over is let go of: calls that no limit counts any more."""

from celery import shared_task
from django.utils import timezone

from connectors.execution import limits


@shared_task(ignore_result=True)
def sweep_calls() -> None:
    """Each minute."""
    limits.sweep(timezone.now())
