"""The Celery application; tasks live in each package's `tasks.py`."""

import os

from celery import Celery
from celery.schedules import crontab

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "elaichi.settings")

app = Celery("elaichi")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
app.conf.beat_schedule = {
    # One that nobody took within its minute is as good as the next.
    "sweep-reach": {"task": "search.tasks.sweep_reach", "schedule": 60.0, "options": {"expires": 60.0}},
    "sweep-notices": {"task": "accesscontrol.tasks.sweep_notices", "schedule": 60.0, "options": {"expires": 60.0}},
    "sweep-calls": {"task": "connectors.tasks.sweep_calls", "schedule": 60.0, "options": {"expires": 60.0}},
    "forget-former-names": {
        "task": "connectors.tasks.forget_former_names",
        "schedule": 3600.0,
        "options": {"expires": 3600.0},
    },
    # By the clock, so that no hour is left out: each has servers of its own.
    "refresh-due-catalogs": {
        "task": "connectors.tasks.refresh_due_catalogs",
        "schedule": crontab(minute=20),
        "options": {"expires": 1800.0},
    },
    "forget-visits": {"task": "connectors.tasks.forget_visits", "schedule": 3600.0, "options": {"expires": 3600.0}},
    "sweep-files": {"task": "connectors.tasks.sweep_files", "schedule": 900.0, "options": {"expires": 900.0}},
    "sweep-oauth": {"task": "accesscontrol.tasks.sweep_oauth", "schedule": 3600.0, "options": {"expires": 3600.0}},
    "forget-queries": {"task": "search.tasks.forget_queries", "schedule": 3600.0, "options": {"expires": 3600.0}},
}
