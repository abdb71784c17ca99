"""Starts the reach report's task when a change has committed. One that is lost is followed by the sweep."""

from typing import Any
from uuid import UUID

from accesscontrol import dispatch
from accesscontrol.signals import membership_changed, reach_changed, restrictions_changed
from search.tasks import apply_reach


def start_task(organization_id: UUID, version: int, **_: Any) -> None:
    dispatch.start(apply_reach, str(organization_id), version)


for signal in (membership_changed, restrictions_changed, reach_changed):
    signal.connect(start_task, dispatch_uid="search.receivers.start_task")
