"""The reach report follows changes, and old queries go. Searches and calls read the rows and wait for none of this."""

import logging
from uuid import UUID

from celery import shared_task

from search import query_log, reach_report

logger = logging.getLogger(__name__)


@shared_task(ignore_result=True)
def apply_reach(organization_id: str, version: int) -> None:
    """Started by the commit of a change, and harmless when it is delivered twice, late, out of order or never."""
    reach_report.apply(UUID(organization_id), version)


@shared_task(ignore_result=True)
def sweep_reach() -> None:
    """Each minute: catches up where a task was lost, so that no report is later than two minutes."""
    for organization_id, version in reach_report.behind():
        try:
            reach_report.apply(organization_id, version)
        except Exception:
            # One organization's trouble must not keep the others waiting; the next sweep tries again.
            logger.exception("The reach report of %s was not applied.", organization_id)


@shared_task(ignore_result=True)
def forget_queries() -> None:
    """Each hour: the query log holds nothing older than it says."""
    query_log.forget()
