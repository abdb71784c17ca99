"""The project: settings, addresses, the admin site and the local stack."""

from elaichi.celery import app as celery_app

__all__ = ["celery_app"]
