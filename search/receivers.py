"""Starts a task when a change has committed. A broker that is down costs nothing but the task: the sweep follows."""

import logging
from typing import Any
from uuid import UUID

from accesscontrol.signals import membership_changed, reach_changed, restrictions_changed
from search.tasks import apply_reach

SECONDS = 0.5
"""As long as a request may wait for the broker."""

logger = logging.getLogger(__name__)


def start_task(organization_id: UUID, version: int, **_: Any) -> None:
    """Sends `apply_reach`. Whatever is wrong with the broker is logged and stops nobody."""
    try:
        _send(str(organization_id), version)
    except Exception as error:
        # By its type alone: a broker's error may hold its address, and that its password.
        logger.warning("No task for version %s of %s: %s", version, organization_id, type(error).__name__)


def _send(organization_id: str, version: int) -> None:
    app = apply_reach.app
    # A connection of its own, since a worker's waits and retries as long as it takes.
    timeouts = {"socket_connect_timeout": SECONDS, "socket_timeout": SECONDS}
    is_redis = str(app.conf.broker_write_url or app.conf.broker_url).startswith("redis")
    with app.connection_for_write(connect_timeout=SECONDS, transport_options=timeouts if is_redis else {}) as broker:
        broker.ensure_connection(max_retries=0)
        apply_reach.apply_async((organization_id, version), producer=broker.Producer(), retry=False)


for signal in (membership_changed, restrictions_changed, reach_changed):
    signal.connect(start_task, dispatch_uid="search.receivers.start_task")
