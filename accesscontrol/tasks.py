"""What follows a change: its notices are sent. And what is let go of with time."""

from celery import shared_task
from django.utils import timezone

from accesscontrol import outbox
from accesscontrol.services import oauth_sweep


@shared_task(ignore_result=True)
def send_notices() -> None:
    """Started by the commit of a change; harmless when it is delivered twice, late or never."""
    outbox.send_due(now=timezone.now())


@shared_task(ignore_result=True)
def sweep_notices() -> None:
    """Each minute: sends what was missed or failed, and lets go of what is old."""
    outbox.send_due(now=timezone.now())
    outbox.prune(now=timezone.now())


@shared_task(ignore_result=True)
def sweep_oauth() -> None:
    """Each hour."""
    oauth_sweep.sweep(now=timezone.now())
