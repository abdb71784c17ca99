"""What is over is let go of: calls that no limit counts any more, names that nobody should call by any more."""

from celery import shared_task
from django.utils import timezone

from connectors import former_names
from connectors.execution import limits


@shared_task(ignore_result=True)
def sweep_calls() -> None:
    """Each minute."""
    limits.sweep(timezone.now())


@shared_task(ignore_result=True)
def forget_former_names() -> None:
    """Each hour."""
    former_names.forget(now=timezone.now())
