"""Sends the notices that are due. At least once: a notice is marked when the mail server has taken it.

Two senders never hold the same notice: each claims a few rows by their locks and passes over those that are locked.
"""

import logging
from contextlib import suppress
from datetime import datetime, timedelta
from smtplib import SMTPDataError, SMTPRecipientsRefused
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage, mailers
from django.db import transaction

from accesscontrol.models import Notice

BATCH = 20
"""How many locks, and so how many mails sent twice where a worker dies between sending and marking."""
WAITS = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=30), timedelta(hours=2))
"""After each failed attempt but the last."""
KEPT = timedelta(days=30)

logger = logging.getLogger(__name__)


def send_due(*, now: datetime) -> None:
    while _send_batch(now):
        pass


def prune(*, now: datetime) -> None:
    Notice.objects.filter(created_at__lt=now - KEPT).delete()


@transaction.atomic
def _send_batch(now: datetime) -> bool:
    """True where there may be more to send."""
    due = Notice.objects.due(now).select_related("member__user")
    claimed = list(due.select_for_update(of=("self",), skip_locked=True, no_key=True)[:BATCH])
    mailer: Any = mailers.default if claimed else None
    try:
        is_within_reach = all(_send(notice, mailer, now) for notice in claimed)
    finally:
        _close(mailer)
    return is_within_reach and len(claimed) == BATCH


def _send(notice: Notice, mailer: Any, now: datetime) -> bool:
    """False where the server is out of reach: what is left then waits, and is not charged for it."""
    try:
        mailer.open()
        mailer.send_messages([_message(notice)])
    except Exception as error:
        _close(mailer)
        _note_failure(notice, error, now)
        return not isinstance(error, OSError) or isinstance(error, SMTPRecipientsRefused | SMTPDataError)
    notice.sent_at = now
    notice.save(update_fields=["sent_at"])
    return True


def _message(notice: Notice) -> EmailMessage:
    host = urlsplit(settings.PUBLIC_URL).hostname
    # The same at each attempt, so that who gets a mail twice is shown it once.
    headers = {"Message-ID": f"<{notice.pk}@{host}>", "Auto-Submitted": "auto-generated"}
    return EmailMessage(notice.subject, notice.body, to=[notice.member.user.email], headers=headers)


def _note_failure(notice: Notice, error: Exception, now: datetime) -> None:
    """By its type alone: a mail server's error may hold addresses, and what was sent."""
    notice.last_error_class = type(error).__name__
    notice.due_at = now + WAITS[min(notice.attempts, len(WAITS) - 1)]
    notice.attempts += 1
    notice.save(update_fields=["last_error_class", "due_at", "attempts"])
    logger.warning("Notice %s was not sent: %s", notice.pk, notice.last_error_class)


def _close(mailer: Any) -> None:
    if mailer is not None:
        with suppress(Exception):
            mailer.close()
