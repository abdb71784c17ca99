"""Starts a task once a change has committed. A broker that is down costs nothing but the task: a sweep follows."""

import logging
from typing import Any

from celery import Task

SECONDS = 0.5
"""As long as a request may wait for the broker."""

logger = logging.getLogger(__name__)


def start(task: "Task[..., Any]", *arguments: object) -> None:
    """Whatever is wrong with the broker is logged and stops nobody."""
    try:
        _send(task, arguments)
    except Exception as error:
        # By its type alone: a broker's error may hold its address, and that its password.
        logger.warning("%s%r was not started: %s", task.name, arguments, type(error).__name__)


def _send(task: "Task[..., Any]", arguments: tuple[object, ...]) -> None:
    app = task.app
    # A connection of its own, since a worker's waits and retries as long as it takes.
    timeouts = {"socket_connect_timeout": SECONDS, "socket_timeout": SECONDS}
    is_redis = str(app.conf.broker_write_url or app.conf.broker_url).startswith("redis")
    with app.connection_for_write(connect_timeout=SECONDS, transport_options=timeouts if is_redis else {}) as broker:
        broker.ensure_connection(max_retries=0)
        task.apply_async(arguments, producer=broker.Producer(), retry=False)
